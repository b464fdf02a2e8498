"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.describeFailure = exports.errorMessage = void 0;
const errorMessage = (error) => (error instanceof Error ? error.message : String(error));
exports.errorMessage = errorMessage;
const describeFailure = (error) => error instanceof Error && error.name !== 'DoubleError' && error.stack !== undefined
    ? error.stack
    : (0, exports.errorMessage)(error);
exports.describeFailure = describeFailure;
