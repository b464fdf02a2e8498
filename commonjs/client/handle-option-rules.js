"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.waitOptions = exports.filterOptions = exports.faultOptions = exports.sandboxOptions = exports.connectOptions = void 0;
exports.normalizeUrl = normalizeUrl;
const validate_options_js_1 = require("../validate-options.js");
exports.connectOptions = { adminToken: { type: 'string', isSecret: true } };
exports.sandboxOptions = {
    name: { type: 'string' },
    fixture: { type: 'fixture' },
    expectViolations: { type: 'boolean' },
    now: { type: 'date-time' },
    uniqueTokens: { type: 'boolean' },
};
exports.faultOptions = {
    operation: { type: 'string' },
    match: { type: 'object' },
    skip: { type: 'integer' },
    times: { type: 'integer', orWord: 'always' },
    delayMs: { type: 'integer', unit: 'milliseconds' },
    status: { type: 'integer' },
    headers: { type: 'object' },
    body: { type: 'json' },
    disconnect: { type: 'boolean' },
    truncate: { type: 'boolean' },
    chunkDelayMs: { type: 'integer', unit: 'milliseconds' },
};
exports.filterOptions = {
    operation: { type: 'string' },
    status: { type: 'integer' },
    caller: { type: 'string' },
    verdict: { type: 'string', oneOf: ['ok', 'violation'] },
    id: { type: 'string' },
};
exports.waitOptions = {
    ...exports.filterOptions,
    atLeast: { type: 'integer' },
    withinMs: { type: 'integer', unit: 'milliseconds' },
};
function normalizeUrl(url) {
    const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
    if (typeof url === 'string' && parsed && /^https?:\/\/[^/?#]+[^?#]*$/iu.test(url))
        return url.replace(/\/+$/u, '');
    const hint = url === undefined || url === '' ? ' Is the environment variable that holds it set?' : '';
    throw new TypeError(`connectDouble: the url must be the address of a double, such as "http://127.0.0.1:4010", got ${(0, validate_options_js_1.describeValue)(url)}.${hint}`);
}
