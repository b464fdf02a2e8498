"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.createHandle = createHandle;
const validate_options_js_1 = require("../validate-options.js");
const handle_option_rules_js_1 = require("./handle-option-rules.js");
const read_control_response_js_1 = require("./read-control-response.js");
const requests_not_seen_error_js_1 = require("./requests-not-seen-error.js");
const serialize_argument_js_1 = require("./serialize-argument.js");
const asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');
function createHandle(url, options) {
    const { adminToken, onStop } = options;
    const send = async (method, path, body) => {
        const request = { method, url: `${url}/__admin${path}`, adminToken, body };
        return (0, read_control_response_js_1.readControlResponse)(request, await options.send(request));
    };
    let stopped;
    const stop = () => (stopped ??= onStop().catch((error) => {
        if (!(0, read_control_response_js_1.isGoneError)(error))
            throw error;
    }));
    const requests = (query) => send('GET', `/requests${queryString(query)}`);
    return {
        url,
        health: () => send('GET', '/health'),
        reset: async (fixture) => send('POST', '/reset', fixture === undefined ? '{}' : `{"fixture":${(0, serialize_argument_js_1.serializeArgument)('reset', 'fixture', fixture)}}`),
        state: () => send('GET', '/state'),
        setState: async (document) => send('PUT', '/state', (0, serialize_argument_js_1.serializeArgument)('setState', 'document', document)),
        diff: () => send('GET', '/state/diff'),
        collections: () => send('GET', '/collections'),
        fixtures: () => send('GET', '/fixtures'),
        requests: async (filter = {}) => {
            (0, validate_options_js_1.validateOptions)('requests', filter, handle_option_rules_js_1.filterOptions);
            return requests(filter);
        },
        waitForRequests: async (wait = {}) => {
            (0, validate_options_js_1.validateOptions)('waitForRequests', wait, handle_option_rules_js_1.waitOptions);
            const { atLeast = 1, withinMs = 2000, ...filter } = wait;
            const listing = await requests({ ...filter, atLeast, withinMs });
            if (listing.satisfied)
                return listing;
            const all = await requests({}).catch(() => listing);
            throw new requests_not_seen_error_js_1.RequestsNotSeenError({ filter, atLeast, withinMs }, listing, all.entries);
        },
        request: (id) => send('GET', `/requests/${encodeURIComponent(id)}`),
        requestAs: (id, as) => send('GET', `/requests/${encodeURIComponent(id)}${queryString({ as })}`),
        clearRequests: () => send('DELETE', '/requests'),
        faults: () => send('GET', '/faults'),
        addFault: async (fault) => {
            (0, validate_options_js_1.validateOptions)('addFault', fault, handle_option_rules_js_1.faultOptions);
            return send('POST', '/faults', (0, serialize_argument_js_1.serializeArgument)('addFault', undefined, fault));
        },
        removeFault: (id) => send('DELETE', `/faults/${encodeURIComponent(id)}`),
        clearFaults: () => send('DELETE', '/faults'),
        coverage: () => send('GET', '/coverage'),
        sandboxes: () => send('GET', '/sandboxes'),
        sandbox: async (settings = {}) => {
            (0, validate_options_js_1.validateOptions)('sandbox', settings, handle_option_rules_js_1.sandboxOptions);
            const { callers = {}, name } = await send('POST', '/sandboxes', (0, serialize_argument_js_1.serializeArgument)('sandbox', undefined, settings));
            const drop = () => send('DELETE', `/sandboxes/${encodeURIComponent(name)}`);
            return Object.assign(createHandle(`${url}/sandboxes/${name}`, { ...options, onStop: drop }), { callers, name });
        },
        stop,
        [asyncDispose]: stop,
    };
}
function queryString(query) {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
        if (value !== undefined)
            parameters.set(name, String(value));
    return parameters.size > 0 ? `?${parameters.toString()}` : '';
}
