"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.NoResponseError = void 0;
class NoResponseError extends TypeError {
}
exports.NoResponseError = NoResponseError;
