"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.RequestsNotSeenError = void 0;
const maxShown = 5;
class RequestsNotSeenError extends Error {
    name = 'RequestsNotSeenError';
    filter;
    atLeast;
    withinMs;
    matched;
    nearest;
    constructor({ atLeast, filter, withinMs }, { matched }, all) {
        const nearest = findNearest(filter, all);
        const wanted = Object.entries(filter).map(([name, value]) => ` with ${name} ${JSON.stringify(value)}`);
        const shown = nearest.map(({ caller, method, operation, status, url, verdict }) => `\n  ${method} ${url}  ${status ?? 'no response'}  ${operation ?? 'no operation'}, ${caller ?? 'no caller'}, ${verdict}`);
        super(`${matched} of ${atLeast} requests${wanted.join(',')} arrived within ${withinMs} ms. ${shown.length > 0
            ? `The nearest that did:${shown.join('')}`
            : 'The journal is empty: no request has arrived at all.'}`);
        this.filter = filter;
        this.atLeast = atLeast;
        this.withinMs = withinMs;
        this.matched = matched;
        this.nearest = nearest;
    }
}
exports.RequestsNotSeenError = RequestsNotSeenError;
function findNearest(filter, entries) {
    const { caller, id = '', operation, status, verdict } = filter;
    const countMatches = (entry) => [
        entry.operation === operation,
        entry.status === status,
        entry.caller === caller,
        entry.verdict === verdict,
        id !== '' && entry.url.includes(id),
    ].filter(Boolean).length;
    return entries
        .map((entry, index) => ({ entry, index, matches: countMatches(entry) }))
        .toSorted((one, other) => other.matches - one.matches || other.index - one.index)
        .slice(0, maxShown)
        .map(({ entry }) => entry);
}
