"use strict";
/** The type of a parsed JSON object, and the check for it. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.isObject = void 0;
/** Tells whether a value is a JSON object. Null and arrays are not. */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
exports.isObject = isObject;
//# sourceMappingURL=object.js.map