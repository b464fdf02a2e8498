"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.validateOptions = validateOptions;
exports.isValidValue = isValidValue;
exports.describeRule = describeRule;
exports.suggestName = suggestName;
exports.describeValue = describeValue;
const nearest_name_js_1 = require("./nearest-name.js");
function validateOptions(call, options, rules) {
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
        throw new TypeError(`${call}: the options must be an object, got ${describeValue(options)}.`);
    }
    for (const [name, value] of Object.entries(options)) {
        const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
        if (!rule)
            throw new TypeError(`${call}: ${unknownName(name, Object.keys(rules))}`);
        if (value === undefined || isValidValue(rule, value))
            continue;
        const got = rule.isSecret ? typeName(value) : describeValue(value);
        throw new TypeError(`${call}: the option ${name} must be ${describeRule(rule)}, got ${got}${suggestName(rule, value)}.`);
    }
}
function unknownName(name, known) {
    const near = (0, nearest_name_js_1.nearestName)(name, known);
    const right = near === undefined ? `; there are ${known.join(', ')}.` : `; did you mean ${near}?`;
    return `there is no option ${JSON.stringify(name)}${right}`;
}
const isPlainObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
function isDateTime(text) {
    const [, date] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u.exec(text) ?? [];
    return (date !== undefined &&
        !Number.isNaN(Date.parse(text)) &&
        new Date(`${date}T00:00:00Z`).toISOString().startsWith(date));
}
function isValidValue({ least = -Infinity, most = Infinity, oneOf, orWord, type }, value) {
    if (type === 'json' || (orWord !== undefined && value === orWord))
        return true;
    if (type === 'object')
        return isPlainObject(value);
    if (type === 'integer')
        return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
    if (type === 'strings')
        return Array.isArray(value) && value.every((item) => typeof item === 'string');
    if (type === 'path')
        return typeof value === 'string' || value instanceof URL;
    if (type === 'date-time')
        return typeof value === 'string' && isDateTime(value);
    if (type === 'fixture')
        return typeof value === 'string' || isPlainObject(value);
    return typeof value === type && (oneOf === undefined || oneOf.includes(String(value)));
}
function describeRule({ least, most, oneOf, orWord, type, unit }) {
    if (oneOf)
        return oneOf.length === 2 ? oneOf.join(' or ') : `one of ${oneOf.join(', ')}`;
    if (type === 'strings')
        return 'an array of strings';
    if (type === 'path')
        return 'a path or a URL';
    if (type === 'date-time')
        return 'a date-time such as 2026-01-05T09:30:00Z';
    if (type === 'fixture')
        return 'the name of a fixture, or a fixture';
    if (type !== 'integer')
        return type === 'boolean' ? 'true or false' : type === 'object' ? 'an object' : `a ${type}`;
    const from = least === undefined ? '' : most === undefined ? `, at least ${least}` : ` from ${least} to ${most}`;
    const or = orWord === undefined ? '' : ` or "${orWord}"`;
    return `an integer${from}${unit === undefined ? '' : ` (${unit})`}${or}`;
}
function suggestName({ oneOf = [] }, value) {
    const near = typeof value === 'string' ? (0, nearest_name_js_1.nearestName)(value, oneOf) : undefined;
    return near === undefined ? '' : `; did you mean ${near}`;
}
const maxShown = 100;
function describeValue(value) {
    if (typeof value === 'string')
        return JSON.stringify(value.length > maxShown ? `${value.slice(0, maxShown)}…` : value);
    if (typeof value === 'number' || typeof value === 'boolean' || value === undefined)
        return String(value);
    return typeName(value);
}
function typeName(value) {
    if (value === null)
        return 'null';
    if (Array.isArray(value))
        return 'an array';
    return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
