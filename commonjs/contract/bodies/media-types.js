"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.matchesAnyMediaType = exports.coversMediaType = exports.isJson = exports.essenceOf = exports.mediaTypeParameter = void 0;
exports.pickMediaType = pickMediaType;
function parse(text) {
    const [essence = '', ...rest] = text.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/u);
    const [type = '', subtype = ''] = essence.trim().toLowerCase().split('/');
    const parameters = rest.flatMap((part) => {
        const at = part.indexOf('=');
        if (at === -1)
            return [];
        const value = part.slice(at + 1).trim();
        return [[part.slice(0, at).trim().toLowerCase(), value.replace(/^"(.*)"$/u, '$1')]];
    });
    return { type, subtype, parameters: new Map(parameters) };
}
/** Returns a parameter of a media type, such as its charset. Undefined if it is absent. */
const mediaTypeParameter = (mediaType, name) => parse(mediaType).parameters.get(name);
exports.mediaTypeParameter = mediaTypeParameter;
/** Returns a media type in lower case and without parameters. */
const essenceOf = (mediaType) => mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
exports.essenceOf = essenceOf;
/** Tells whether a media type is JSON or has the suffix `+json`. */
const isJson = (mediaType) => /^[\w!#$&^.-]+\/(?:[\w!#$&^.+-]+\+)?json$/u.test((0, exports.essenceOf)(mediaType));
exports.isJson = isJson;
/** Tells whether a documented media type or range covers another media type. Ignores parameters such as charset. */
const coversMediaType = (documented, mediaType) => coversType(parse(documented), parse(mediaType));
exports.coversMediaType = coversMediaType;
const coversType = (documented, { subtype, type }) => (documented.type === '*' || documented.type === type) &&
    (documented.subtype === '*' || documented.subtype === subtype);
/**
 * Rates how specifically a documented media type or range matches a media type. Its parameters must be equal.
 *
 * @returns A higher number for a more specific match. Undefined if they do not match.
 */
function specificity(documented, mediaType) {
    if (!coversType(documented, mediaType))
        return undefined;
    for (const [name, value] of documented.parameters) {
        const other = mediaType.parameters.get(name);
        // A media type without a charset matches every documented charset.
        const isSame = name === 'charset' ? (other ?? value).toLowerCase() === value.toLowerCase() : other === value;
        if (!isSame)
            return undefined;
    }
    return (documented.type === '*' ? 0 : documented.subtype === '*' ? 100 : 200) + documented.parameters.size;
}
/** Finds the most specific documented media type or range that matches. @returns Its index, or -1 if none matches. */
function pickMediaType(documented, mediaType) {
    const scores = documented.map((each) => specificity(parse(each), parse(mediaType)) ?? -1);
    const best = Math.max(-1, ...scores);
    return best === -1 ? -1 : scores.indexOf(best);
}
/** Tells whether one of several media types or ranges, separated by commas, matches a media type with its parameters. */
const matchesAnyMediaType = (documented, mediaType) => documented.split(',').some((each) => specificity(parse(each), parse(mediaType)) !== undefined);
exports.matchesAnyMediaType = matchesAnyMediaType;
//# sourceMappingURL=media-types.js.map