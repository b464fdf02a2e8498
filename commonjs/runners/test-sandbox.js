"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.createTestSandbox = createTestSandbox;
async function createTestSandbox(double, { expectViolations, fixture, now, uniqueTokens }) {
    const options = {
        expectViolations,
        uniqueTokens,
        ...(fixture === undefined ? {} : { fixture }),
        ...(now === undefined ? {} : { now }),
    };
    return double.sandbox(options);
}
