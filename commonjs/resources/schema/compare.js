"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.findDifference = findDifference;
exports.scalarType = scalarType;
const object_schema_js_1 = require("./object-schema.js");
/**
 * Finds where a client's value could not be stored, because the schemas differ in type, or because the record requires what the
 * client need not send.
 *
 * @param isWhole - Whether the value is stored as it is sent. A value that is merged need not have everything.
 * @returns The difference as a clause such as `tags[] is string in the request, object in the record`. Undefined: none.
 */
function findDifference(sent, stored, name, isWhole, seen = new Set()) {
    if (sent === stored || seen.has(sent))
        return undefined;
    if (differInType(sent, stored))
        return `${name} is ${(0, object_schema_js_1.typesOf)(sent).join(' or ')} in one and ${(0, object_schema_js_1.typesOf)(stored).join(' or ')} in the other`;
    const inside = new Set([...seen, sent]);
    const [sentItems, storedItems] = [(0, object_schema_js_1.itemsOf)(sent), (0, object_schema_js_1.itemsOf)(stored)];
    if (sentItems && storedItems)
        return findDifference(sentItems, storedItems, `${name}[]`, true, inside);
    const [sentObject, storedObject] = [(0, object_schema_js_1.objectSchema)(sent), (0, object_schema_js_1.objectSchema)(stored)];
    if (!sentObject || !storedObject || sentObject.properties.size === 0)
        return undefined;
    for (const [key, property] of storedObject.properties) {
        const other = sentObject.properties.get(key);
        const path = `${name}.${key}`;
        if (isWhole && storedObject.required.has(key) && !sentObject.required.has(key) && !(0, object_schema_js_1.isMarked)(property, 'writeOnly'))
            return `the record requires ${path}, and the request does not`;
        const difference = other && findDifference(other, property, path, isWhole, inside);
        if (difference !== undefined)
            return difference;
    }
    return undefined;
}
/** Tells whether two schemas have no type in common. Null aside, and an integer is a number. */
function differInType(one, other) {
    const [ones, others] = [numbered(one), numbered(other)];
    return ones.length > 0 && others.length > 0 && !ones.some((type) => others.includes(type));
}
const numbered = (schema) => (0, object_schema_js_1.typesOf)(schema)
    .filter((type) => type !== 'null')
    .map((type) => (type === 'integer' ? 'number' : type));
/** The one scalar type that a schema allows, null aside. Undefined: several, or none. */
function scalarType(schema) {
    const [type, ...others] = (0, object_schema_js_1.typesOf)(schema).filter((each) => each !== 'null');
    if (others.length > 0)
        return undefined;
    return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean' ? type : undefined;
}
//# sourceMappingURL=compare.js.map