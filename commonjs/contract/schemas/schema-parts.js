"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.itemSchema = exports.listOf = exports.jsonTypes = void 0;
exports.partsOf = partsOf;
exports.propertyNames = propertyNames;
exports.propertySchema = propertySchema;
exports.typesOf = typesOf;
exports.shapesOf = shapesOf;
const object_js_1 = require("../../documents/object.js");
/** The types of JSON Schema. */
exports.jsonTypes = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'];
/** Returns an array as it is, and an empty array for any other value. */
const listOf = (value) => (Array.isArray(value) ? value : []);
exports.listOf = listOf;
/** Lists a schema and all schemas that it combines. */
function partsOf(schema, seen = new Set()) {
    if (!(0, object_js_1.isObject)(schema) || seen.has(schema))
        return [];
    seen.add(schema);
    const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => (0, exports.listOf)(schema[keyword]));
    return [schema, ...parts.flatMap((part) => partsOf(part, seen))];
}
/** Lists the names of the properties of a schema, each once. */
function propertyNames(schema) {
    const names = partsOf(schema).flatMap(({ properties }) => ((0, object_js_1.isObject)(properties) ? Object.keys(properties) : []));
    return [...new Set(names)];
}
/** Returns the schema of a property of an object. Undefined if there is none. */
function propertySchema(schema, name) {
    return anyOf(partsOf(schema).map((part) => {
        const { additionalProperties, patternProperties, properties } = part;
        if ((0, object_js_1.isObject)(properties) && Object.hasOwn(properties, name))
            return properties[name];
        const patterns = (0, object_js_1.isObject)(patternProperties) ? Object.entries(patternProperties) : [];
        const match = patterns.find(([pattern]) => new RegExp(pattern, 'u').test(name));
        return match ? match[1] : additionalProperties;
    }));
}
/** Returns the schema of the items of an array. Undefined if there is none. */
const itemSchema = (schema) => anyOf(partsOf(schema).map((part) => part['items']));
exports.itemSchema = itemSchema;
function anyOf(schemas) {
    const known = schemas.filter(object_js_1.isObject);
    return known.length > 1 ? { anyOf: known } : known[0];
}
/** Returns the types that a schema allows. Undefined if it does not restrict the type. */
function typesOf(schema) {
    if (!(0, object_js_1.isObject)(schema))
        return undefined;
    if (!typesBySchema.has(schema))
        typesBySchema.set(schema, readTypes(schema, []));
    return typesBySchema.get(schema);
}
/** Results of `typesOf`. They halve the time to decode a query parameter. */
const typesBySchema = new WeakMap();
/** @param seen - The schemas around this one: a schema may contain itself. */
function readTypes(schema, seen) {
    if (!(0, object_js_1.isObject)(schema) || seen.includes(schema))
        return undefined;
    const inside = [...seen, schema];
    const all = [ownTypes(schema), ...(0, exports.listOf)(schema['allOf']).map((part) => readTypes(part, inside))];
    for (const keyword of ['anyOf', 'oneOf']) {
        const parts = (0, exports.listOf)(schema[keyword]).map((part) => readTypes(part, inside));
        const known = parts.filter((part) => part !== undefined);
        if (known.length > 0 && known.length === parts.length)
            all.push(new Set(known.flatMap((part) => [...part])));
    }
    const restrictions = all.filter((types) => types !== undefined);
    if (restrictions.length === 0)
        return undefined;
    return new Set(exports.jsonTypes.filter((type) => restrictions.every((types) => allowsType(types, type))));
}
const allowsType = (types, type) => types.has(type) || (type === 'integer' && types.has('number'));
function ownTypes(schema) {
    const { type } = schema;
    if (type !== undefined)
        return new Set(exports.jsonTypes.filter((known) => known === type || (0, exports.listOf)(type).includes(known)));
    const values = 'const' in schema ? [schema['const']] : (0, exports.listOf)(schema['enum']);
    if (values.length > 0)
        return new Set(values.map(typeOfValue));
    if ((0, object_js_1.isObject)(schema['properties']) || (0, object_js_1.isObject)(schema['additionalProperties']))
        return new Set(['object']);
    return schema['items'] === undefined ? undefined : new Set(['array']);
}
function typeOfValue(value) {
    if (value === null)
        return 'null';
    if (Array.isArray(value))
        return 'array';
    if (typeof value === 'boolean')
        return 'boolean';
    if (typeof value === 'number')
        return 'number';
    return typeof value === 'string' ? 'string' : 'object';
}
/** Lists the shapes that a schema allows, from object to primitive. */
function shapesOf(schema) {
    const types = typesOf(schema);
    const shapes = [];
    if (types?.has('object'))
        shapes.push('object');
    if (types?.has('array'))
        shapes.push('array');
    if (!types || [...types].some((type) => type !== 'object' && type !== 'array'))
        shapes.push('primitive');
    return shapes;
}
//# sourceMappingURL=schema-parts.js.map