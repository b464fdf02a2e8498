"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.doubleOptions = void 0;
exports.describeOption = describeOption;
const journal_limits_js_1 = require("./sandbox/journal-limits.js");
exports.doubleOptions = {
    spec: {
        type: 'string',
        defaultText: 'that of the package',
        description: 'contract of the service',
    },
    overlay: { type: 'string', description: 'OpenAPI Overlay 1.0 that is applied to the contract' },
    handlers: {
        type: 'path',
        description: 'JavaScript file of handlers for operations that are not CRUD: a path, or a file URL',
    },
    fixtures: {
        type: 'string',
        defaultText: 'those of the package',
        description: 'folder of fixtures',
    },
    fixture: {
        type: 'fixture',
        default: 'default',
        description: 'initial fixture: a name in the folder of fixtures, or a path',
    },
    state: { type: 'string', defaultText: 'none, the state is in memory', description: 'file that keeps the state' },
    fresh: { type: 'boolean', default: false, description: 'start from the fixture although there is a state file' },
    strict: {
        type: 'boolean',
        default: false,
        description: 'refuse a contract with parts that the double does not enforce',
    },
    host: {
        type: 'string',
        default: '127.0.0.1',
        description: 'address to listen on; an address other than loopback needs an admin token',
    },
    port: {
        type: 'integer',
        least: 0,
        most: 65_535,
        default: 0,
        description: 'port to listen on, or 0 for a free one',
    },
    now: {
        type: 'date-time',
        defaultText: 'none, the clock runs',
        description: 'fixed time for the dates that the double fills in; RFC 3339',
    },
    delayMs: {
        type: 'integer',
        unit: 'milliseconds',
        least: 0,
        most: 60_000,
        default: 0,
        description: 'delay before each response of the service',
    },
    watch: {
        type: 'boolean',
        default: false,
        description: 'reload the spec, the overlay, the handlers or the fixture when it changes',
    },
    adminToken: { type: 'string', isSecret: true, description: 'bearer token that the control plane requires' },
    allowedHosts: {
        type: 'strings',
        description: 'host name of the control plane, in addition to loopback',
    },
    adminOrigins: {
        type: 'strings',
        description: 'origin whose pages may use the control plane',
    },
    journalEntries: {
        type: 'integer',
        least: 1,
        most: 1_000_000,
        default: journal_limits_js_1.defaultJournalLimits.maxEntries,
        description: 'maximum number of entries of each journal',
    },
    journalBytes: {
        type: 'integer',
        unit: 'bytes',
        least: 1,
        default: journal_limits_js_1.defaultJournalLimits.maxBytes,
        description: 'maximum size of each journal',
    },
    maxSandboxes: {
        type: 'integer',
        least: 1,
        most: 1_000_000,
        default: 1000,
        description: 'maximum number of sandboxes, without the root',
    },
    sandboxIdleMs: {
        type: 'integer',
        unit: 'milliseconds',
        least: 1,
        default: 3_600_000,
        description: 'time after which an unused sandbox is dropped',
    },
};
function describeOption({ description, least, most, unit }) {
    const bounds = least === undefined ? undefined : most === undefined ? `at least ${least}` : `${least} to ${most}`;
    const extent = [unit, bounds].filter((part) => part !== undefined).join(', ');
    return extent === '' ? description : `${description}; ${extent}`;
}
