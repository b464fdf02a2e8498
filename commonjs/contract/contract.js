"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.operationName = exports.documentableMethods = void 0;
/** HTTP methods that a spec can document. */
exports.documentableMethods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];
/** Returns the id of an operation: its operationId, otherwise `METHOD /path`, such as `GET /orders`. */
const operationName = (operationId, method, path) => typeof operationId === 'string' ? operationId : `${method.toUpperCase()} ${path}`;
exports.operationName = operationName;
//# sourceMappingURL=contract.js.map