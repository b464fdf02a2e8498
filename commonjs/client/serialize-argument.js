"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.serializeArgument = serializeArgument;
function serializeArgument(call, name, value) {
    checkPlain(call, name ?? '', value, []);
    return JSON.stringify(value);
}
function checkPlain(call, path, value, parents) {
    if (typeof value !== 'object' || value === null) {
        const isJson = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
        if (!isJson)
            throw notPlain(call, path, describe(value));
        return;
    }
    if (parents.includes(value))
        throw notPlain(call, path, 'an object that contains itself');
    const inside = [...parents, value];
    if ('toJSON' in value && typeof value.toJSON === 'function')
        return checkPlain(call, path, value.toJSON(), inside);
    if (Array.isArray(value)) {
        for (const [index, item] of value.entries())
            checkPlain(call, `${path}[${index}]`, item, inside);
        return;
    }
    if (!isPlainObject(value))
        throw notPlain(call, path, `an instance of ${value.constructor.name}`);
    for (const [key, item] of Object.entries(value))
        if (item !== undefined)
            checkPlain(call, path === '' ? key : `${path}.${key}`, item, inside);
}
function isPlainObject(value) {
    const prototype = Object.getPrototypeOf(value);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
}
function describe(value) {
    if (value === undefined || typeof value === 'number')
        return String(value);
    return typeof value === 'function' ? 'a function' : `a ${typeof value}`;
}
function notPlain(call, path, got) {
    const place = path === '' ? 'the value' : path;
    return new TypeError(`${call}: ${place} is ${got}. The double runs in another thread, which takes only what JSON has. Give a plain object, array, string, number, true, false or null instead.`);
}
