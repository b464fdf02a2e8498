"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isGoneError = void 0;
exports.readControlResponse = readControlResponse;
const errors_js_1 = require("../errors.js");
const control_request_js_1 = require("./control-request.js");
function readControlResponse({ url }, response) {
    const { errorCode, isFromDouble, isJson, status, text } = response;
    if (isFromDouble && status < 400)
        return isJson ? JSON.parse(text) : text || undefined;
    if (!isFromDouble || errorCode === null)
        throw new TypeError(`${url} is not a double: it responded with ${status} ${text.slice(0, 200)}`);
    const { message } = JSON.parse(text);
    throw new errors_js_1.DoubleError(errorCode, message, { status, location: undefined }, {});
}
const isGoneError = (error) => error instanceof control_request_js_1.NoResponseError || (error instanceof errors_js_1.DoubleError && error.code === 'unknown_sandbox');
exports.isGoneError = isGoneError;
