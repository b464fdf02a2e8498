"use strict";
var _a;
Object.defineProperty(exports, "__esModule", { value: true });
exports.Cursor = exports.isData = void 0;
exports.lookUp = lookUp;
exports.dereference = dereference;
const object_js_1 = require("../documents/object.js");
const pointer_js_1 = require("../documents/pointer.js");
/** The keys whose values are data. A `$ref` in data is not a reference. */
const dataKeys = new Set(['example', 'examples', 'value', 'default', 'enum', 'const']);
/**
 * Tells whether the value of a key is data. The schema of a property named `default` is not, and neither is the response `default`.
 *
 * @param path - The path of the parent.
 */
const isData = (key, path) => (dataKeys.has(key) &&
    path.at(-1) !== 'properties' &&
    !(key === 'examples' && path.at(-1) === 'components') &&
    !(key === 'default' && path.at(-1) === 'responses' && path.at(-2) !== 'properties')) ||
    key.startsWith('x-');
exports.isData = isData;
/** A value in a spec, with its path. It follows references: the path is that of the referenced value. */
class Cursor {
    path;
    value;
    #root;
    constructor(root, path, value) {
        this.#root = root;
        this.path = path;
        this.value = value;
    }
    /** Returns the cursor at the root of a spec. */
    static top(root) {
        return new _a(root, [], root);
    }
    /** Returns the cursor at a key or an index. Its value is undefined if nothing is there. */
    at(segment) {
        const parent = this.value;
        const value = (0, object_js_1.isObject)(parent) || Array.isArray(parent) ? parent[segment] : undefined;
        return this.#follow([...this.path, segment], value);
    }
    /** Lists the cursors of all keys or indexes. */
    children() {
        const value = this.value;
        return (0, object_js_1.isObject)(value) || Array.isArray(value)
            ? Object.keys(value).map((key) => [key, this.at(Array.isArray(value) ? Number(key) : key)])
            : [];
    }
    #follow(path, value) {
        const seen = new Set();
        let cursor = new _a(this.#root, path, value);
        while ((0, object_js_1.isObject)(cursor.value) && typeof cursor.value['$ref'] === 'string' && !seen.has(cursor.value['$ref'])) {
            seen.add(cursor.value['$ref']);
            const target = lookUp(this.#root, cursor.value['$ref']);
            if (!target)
                break;
            cursor = new _a(this.#root, target.path, target.value);
        }
        return cursor;
    }
}
exports.Cursor = Cursor;
_a = Cursor;
/** Finds the target of a reference. @returns Undefined if it does not exist or is outside the document. */
function lookUp(root, reference) {
    const path = (0, pointer_js_1.fromPointer)(reference);
    if (!path)
        return undefined;
    let value = root;
    for (const segment of path) {
        if (!(0, object_js_1.isObject)(value) && !Array.isArray(value))
            return undefined;
        if (!Object.hasOwn(value, segment))
            return undefined;
        value = value[segment];
    }
    return { path, value };
}
/**
 * Replaces each reference by its target, merged with the keywords next to the reference. A schema that contains itself becomes a cycle of
 * objects. The same reference always gives the same object, which is also the object at its target. Every reference must resolve.
 */
function dereference(root) {
    const copies = new Map();
    const unfinished = new Set();
    const copy = (value, path) => {
        if (Array.isArray(value))
            return value.map((item, index) => copy(item, [...path, index]));
        if (!(0, object_js_1.isObject)(value))
            return value;
        const known = copies.get(value);
        if (known)
            return known;
        const { $ref: reference, ...siblings } = value;
        if (typeof reference !== 'string')
            return copyInto({}, value, value, path);
        const target = resolve(reference);
        if (Object.keys(siblings).length === 0 || !(0, object_js_1.isObject)(target))
            return target;
        // A schema that contains itself is not complete yet: refer to it instead of copying it.
        return copyInto(unfinished.has(target) ? { allOf: [target] } : { ...target }, siblings, value, path);
    };
    /** @param original - The source of the copy. References to it get the copy. */
    const copyInto = (into, from, original, path) => {
        copies.set(original, into);
        unfinished.add(into);
        for (const [key, value] of Object.entries(from))
            into[key] = (0, exports.isData)(key, path) ? value : copy(value, [...path, key]);
        unfinished.delete(into);
        return into;
    };
    const resolve = (reference) => {
        const found = lookUp(root, reference);
        return (0, object_js_1.isObject)(found?.value) ? copy(found.value, found.path) : found?.value;
    };
    return copy(root, []);
}
//# sourceMappingURL=references.js.map