"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.createErrorContent = createErrorContent;
/** Creates the bodies of errors: JSON that fits the contract's schema for the status. */
const node_http_1 = require("node:http");
const object_js_1 = require("../documents/object.js");
const compare_js_1 = require("../resources/schema/compare.js");
const object_schema_js_1 = require("../resources/schema/object-schema.js");
const generate_minimal_value_js_1 = require("./generate-minimal-value.js");
const schema_parts_js_1 = require("./schemas/schema-parts.js");
/**
 * Creates a function that creates the bodies of errors. An undocumented status has the body of the documented status that is nearest in kind,
 * else that of the contract's most frequent error, else a problem detail (RFC 9457).
 */
function createErrorContent(view) {
    const operations = new Map(view.operations.map((operation) => [operation.id, operation]));
    let frequent;
    return (name, status, message) => {
        const operation = name === undefined ? undefined : operations.get(name);
        const documented = operation && documentedFor(operation, status);
        if (documented?.content.size === 0)
            return { mediaType: '', body: undefined };
        const error = { status, message };
        const isDocumented = operation !== undefined && documented !== undefined;
        const known = isDocumented
            ? errorsOf(view, operation, documented)
            : [...(operation ? nearestErrors(view, operation, status) : []), ...(frequent ??= frequentErrors(view))];
        for (const each of known) {
            const body = findBody(view, each, error);
            if (body !== undefined)
                return { mediaType: each.mediaType, body };
        }
        const [first] = documented?.content.keys() ?? [];
        if (first?.startsWith('text/'))
            return { mediaType: first, body: message };
        return { mediaType: problemType, body: problemOf(error) };
    };
}
const problemType = 'application/problem+json';
function documentedFor({ responses }, status) {
    const find = (name) => responses.find((response) => response.status === name);
    return find(String(status)) ?? find(`${Math.floor(status / 100)}XX`) ?? find('default');
}
const isError = ({ status }) => /^[45]/u.test(status) || status === 'default';
/** Lists the JSON bodies of a documented error. */
function errorsOf(view, operation, { content, status }) {
    return [...jsonIn(content)].map(([mediaType, schema]) => ({
        mediaType,
        schema,
        example: () => view.example(operation, status),
    }));
}
function* jsonIn(content) {
    for (const [mediaType, schema] of content) {
        if (/^(?:\*|application)\/\*/u.test(mediaType))
            yield ['application/json', schema];
        else if (/^[^;]*[/+]json(?:;|$)/iu.test(mediaType))
            yield [mediaType, schema];
    }
}
/** Lists the documented errors of an operation, the status nearest in kind first. */
function nearestErrors(view, operation, status) {
    const distance = (response) => Math.abs(Number(response.status.replace('XX', '00')) - status);
    return operation.responses
        .filter((response) => isError(response))
        .toSorted((one, other) => distance(one) - distance(other))
        .flatMap((response) => errorsOf(view, operation, response));
}
/** Lists the documented errors of a contract, the most frequent schema first. */
function frequentErrors(view) {
    const counts = new Map();
    for (const operation of view.operations) {
        for (const response of operation.responses.filter((each) => isError(each))) {
            for (const error of errorsOf(view, operation, response)) {
                const known = counts.get(error.schema);
                if (known)
                    known.count += 1;
                else
                    counts.set(error.schema, { count: 1, error });
            }
        }
    }
    const [most] = [...counts.values()].toSorted((one, other) => other.count - one.count);
    return most ? [most.error] : [];
}
/** Finds the first body that fits: one that says the error, else the example. */
function findBody(view, documented, error) {
    const { mediaType, schema } = documented;
    const choices = [schema, ...['oneOf', 'anyOf'].flatMap((name) => (0, schema_parts_js_1.listOf)(schema[name]).filter(object_js_1.isObject))];
    let example;
    const exampleOf = () => (example ??= documented.example());
    const makers = [
        ...(mediaType.startsWith(problemType) ? [() => problemOf(error)] : []),
        // An example takes long to find, so it is used only where names do not tell everything.
        ...choices.map((choice) => () => buildByNames(choice, error)),
        ...choices.map((choice) => () => build(choice, error, exampleOf(), 0)),
        exampleOf,
    ];
    for (const make of makers) {
        const body = make();
        if (body !== undefined && view.validate(schema, body).length === 0)
            return body;
    }
    return undefined;
}
const problemOf = ({ message, status }) => ({
    type: 'about:blank',
    title: node_http_1.STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
});
const numberNames = new Set(['error', 'code', 'status', 'statuscode', 'errorcode']);
const textNames = new Set(['message', 'detail', 'title', 'error']);
const maxDepth = 4;
/** Builds a value that says an error. @returns Undefined if the names of properties do not tell everything that is required. */
function buildByNames(schema, error) {
    let isTold = true;
    const body = build(schema, { ...error, onUntold: () => (isTold = false) }, undefined, 0);
    return isTold ? body : undefined;
}
/** Builds a value that says an error, by the names of properties. @param example - A value for what no name tells. */
function build(schema, error, example, depth) {
    const known = (0, object_schema_js_1.objectSchema)(schema);
    if (!known) {
        const items = (0, object_schema_js_1.itemsOf)(schema);
        const first = Array.isArray(example) ? example[0] : undefined;
        if (items && depth < maxDepth)
            return [(0, compare_js_1.scalarType)(items) === 'string' ? error.message : build(items, error, first, depth + 1)];
        if (depth === 0 && (0, compare_js_1.scalarType)(schema) === 'string')
            return error.message;
        error.onUntold?.();
        return example ?? (0, generate_minimal_value_js_1.generateMinimalValue)({}, schema);
    }
    const entries = [...new Set([...known.properties.keys(), ...known.required])].flatMap((name) => {
        const property = known.properties.get(name) ?? {};
        const value = valueOf(name, property, error);
        if (value !== undefined)
            return [[name, value]];
        const inner = (0, object_js_1.isObject)(example) && Object.hasOwn(example, name) ? example[name] : undefined;
        const isWrapper = (0, object_schema_js_1.objectSchema)(property) !== undefined && ['error', 'errors'].includes(name);
        return known.required.has(name) || (isWrapper && depth < maxDepth)
            ? [[name, build(property, error, inner, depth + 1)]]
            : [];
    });
    return Object.fromEntries(entries);
}
/** Returns the value that the name of a property tells. Undefined: none. */
function valueOf(name, schema, { message, status }) {
    const constant = (0, object_schema_js_1.keyword)(schema, 'const');
    if (constant !== undefined)
        return constant;
    if (Array.isArray((0, object_schema_js_1.keyword)(schema, 'enum')))
        return undefined;
    const plain = name.toLowerCase().replaceAll(/[^a-z]/gu, '');
    const type = (0, compare_js_1.scalarType)(schema);
    if ((type === 'integer' || type === 'number') && numberNames.has(plain))
        return status;
    if (type !== 'string' || !textNames.has(plain))
        return undefined;
    const most = (0, object_schema_js_1.keyword)(schema, 'maxLength');
    return typeof most === 'number' ? message.slice(0, most) : message;
}
//# sourceMappingURL=error-content.js.map