"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.matchesFilter = matchesFilter;
exports.toJournalEntry = toJournalEntry;
/** The entries of a journal: what is kept of a request, and how it is shown and filtered. */
const media_types_js_1 = require("../contract/bodies/media-types.js");
const json_js_1 = require("../documents/json.js");
/** Tells whether a recorded request matches a filter. */
function matchesFilter(recorded, filter) {
    const { summary } = recorded;
    return ((filter.operation === undefined || summary.operation === filter.operation) &&
        (filter.status === undefined || summary.status === filter.status) &&
        (filter.caller === undefined || summary.caller === filter.caller) &&
        (filter.verdict === undefined || summary.verdict === filter.verdict) &&
        (filter.id === undefined || recorded.isAbout(filter.id)));
}
/** Creates the entry of a recorded request. */
function toJournalEntry(recorded) {
    const { requestHeaders, requestText, responseHeaders, responseText, truncated } = recorded.details();
    return {
        ...recorded.summary,
        requestHeaders,
        requestBody: toValue(requestText, requestHeaders, truncated.includes('requestBody')),
        responseHeaders,
        responseBody: toValue(responseText, responseHeaders, truncated.includes('responseBody')),
        truncated,
    };
}
/** Parses a body that is whole and JSON. @returns The text if it is neither, or nested too deep; null if there is none. */
function toValue(text, headers, isCut) {
    if (text === undefined)
        return null;
    if (isCut || !(0, media_types_js_1.isJson)(headers['content-type'] ?? ''))
        return text;
    if ((0, json_js_1.measureJson)(Buffer.from(text)).depth > json_js_1.maxJsonDepth)
        return text;
    try {
        return JSON.parse(text);
    }
    catch {
        return text;
    }
}
//# sourceMappingURL=journal-entry.js.map