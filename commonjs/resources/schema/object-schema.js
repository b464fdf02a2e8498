"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isMarked = exports.isNullable = void 0;
exports.objectSchema = objectSchema;
exports.itemsOf = itemsOf;
exports.typesOf = typesOf;
exports.keyword = keyword;
const object_js_1 = require("../../documents/object.js");
/** Reads the schema of an object. @returns undefined if the schema is of something else. */
function objectSchema(schema) {
    if (!objects.has(schema))
        objects.set(schema, readObject(schema));
    return objects.get(schema);
}
const objects = new WeakMap();
function readObject(schema) {
    const types = typesOf(schema).filter((type) => type !== 'null');
    if (types.length !== 1 || types[0] !== 'object')
        return undefined;
    const properties = new Map();
    const required = new Set();
    let closed = false;
    for (const part of partsOf(schema)) {
        for (const [name, property] of Object.entries(objectAt(part, 'properties'))) {
            const known = properties.get(name);
            const next = (0, object_js_1.isObject)(property) ? property : {};
            properties.set(name, known && known !== next ? { allOf: [known, next] } : next);
        }
        for (const name of listAt(part, 'required'))
            if (typeof name === 'string')
                required.add(name);
        if (part['additionalProperties'] === false || part['unevaluatedProperties'] === false)
            closed = true;
    }
    return { properties, required, closed };
}
/** The schema of an array's items. @returns undefined if the schema is not of an array, or says nothing of its items. */
function itemsOf(schema) {
    if (!arrays.has(schema))
        arrays.set(schema, readItems(schema));
    return arrays.get(schema);
}
const arrays = new WeakMap();
function readItems(schema) {
    const types = typesOf(schema).filter((type) => type !== 'null');
    if (types.length !== 1 || types[0] !== 'array')
        return undefined;
    // `allOf` may refine the items of a general array.
    const [first, ...others] = new Set(partsOf(schema)
        .map((part) => part['items'])
        .filter(object_js_1.isObject));
    return others.length === 0 ? first : { allOf: [first, ...others] };
}
/** The types that a schema allows. Empty: any. */
function typesOf(schema) {
    const types = new Set();
    for (const part of partsOf(schema)) {
        const own = Array.isArray(part['type']) ? part['type'] : [part['type']];
        for (const type of own)
            if (typeof type === 'string')
                types.add(type);
        if (part['nullable'] === true)
            types.add('null');
        if (part['type'] !== undefined)
            continue;
        if ((0, object_js_1.isObject)(part['properties']))
            types.add('object');
        if ((0, object_js_1.isObject)(part['items']))
            types.add('array');
        if ('const' in part)
            types.add(typeOfValue(part['const']));
        for (const value of listAt(part, 'enum'))
            types.add(typeOfValue(value));
    }
    return [...types];
}
/** Tells whether a schema says itself that it allows null. */
const isNullable = (schema) => typesOf(schema).includes('null');
exports.isNullable = isNullable;
/** Looks a keyword up in a schema and what it is composed of. */
function keyword(schema, name) {
    return partsOf(schema).find((part) => Object.hasOwn(part, name))?.[name];
}
/** Tells whether a schema, or a part of what it is composed of, is marked with a keyword such as `readOnly`. */
const isMarked = (schema, name) => partsOf(schema).some((part) => part[name] === true);
exports.isMarked = isMarked;
const isNull = (schema) => (0, object_js_1.isObject)(schema) &&
    (schema['type'] === 'null' || schema['const'] === null || String(schema['enum']) === String([null]));
/** A schema and all that it is composed of: `allOf`, and what is left of `oneOf` and `anyOf` without null, if that is one schema. */
function partsOf(schema) {
    const known = parts.get(schema);
    if (known)
        return known;
    const found = new Set();
    const visit = (part) => {
        if (!(0, object_js_1.isObject)(part) || found.has(part))
            return;
        found.add(part);
        for (const inner of listAt(part, 'allOf'))
            visit(inner);
        for (const name of ['oneOf', 'anyOf']) {
            const choices = listAt(part, name);
            const others = choices.filter((choice) => !isNull(choice));
            if (others.length !== 1)
                continue;
            visit(others[0]);
            if (others.length < choices.length)
                found.add(nullType);
        }
    };
    visit(schema);
    const all = [...found];
    parts.set(schema, all);
    return all;
}
const nullType = Object.freeze({ type: 'null' });
const parts = new WeakMap();
const objectAt = (schema, key) => {
    const value = schema[key];
    return (0, object_js_1.isObject)(value) ? value : {};
};
const listAt = (schema, key) => {
    const value = schema[key];
    return Array.isArray(value) ? value : [];
};
function typeOfValue(value) {
    if (value === null)
        return 'null';
    if (Array.isArray(value))
        return 'array';
    if (typeof value === 'number')
        return Number.isInteger(value) ? 'integer' : 'number';
    return typeof value;
}
//# sourceMappingURL=object-schema.js.map