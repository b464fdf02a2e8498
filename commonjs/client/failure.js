"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.toFailure = toFailure;
exports.toError = toError;
const problem_js_1 = require("../documents/problem.js");
const control_request_js_1 = require("./control-request.js");
function toFailure(error) {
    if (!(error instanceof Error))
        return { kind: 'other', message: String(error) };
    const { message } = error;
    if (error instanceof problem_js_1.ProblemsError)
        return { kind: 'problems', message, problems: error.problems };
    if (error instanceof control_request_js_1.NoResponseError)
        return { kind: 'noResponse', message };
    const scalars = Object.entries(error).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
    return { kind: error instanceof TypeError ? 'type' : 'other', message, properties: Object.fromEntries(scalars) };
}
function toError({ kind, message, problems = [], properties = {} }) {
    if (kind === 'problems')
        return new problem_js_1.ProblemsError(problems);
    if (kind === 'noResponse')
        return new control_request_js_1.NoResponseError(message);
    return Object.assign(kind === 'type' ? new TypeError(message) : new Error(message), properties);
}
