"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.doubleFixtures = void 0;
const provide_double_js_1 = require("./provide-double.js");
const sandbox_report_js_1 = require("./sandbox-report.js");
const test_sandbox_js_1 = require("./test-sandbox.js");
exports.doubleFixtures = {
    fixture: undefined,
    now: undefined,
    uniqueTokens: false,
    expectViolations: false,
    doubleOptions: [async ({}, use) => use({}), { scope: 'worker' }],
    double: [async ({ doubleOptions }, use) => (0, provide_double_js_1.provideDouble)(doubleOptions, use), { scope: 'worker' }],
    sandbox: async ({ double, expectViolations, fixture, now, task, uniqueTokens }, use) => {
        const sandbox = await (0, test_sandbox_js_1.createTestSandbox)(double, { expectViolations, fixture, now, uniqueTokens });
        await use(sandbox);
        const report = await (0, sandbox_report_js_1.reportSandbox)(sandbox, expectViolations);
        if (report)
            await sandbox.stop();
        const hasFailed = task.result?.state === 'fail';
        if (report && (hasFailed || report.violations !== ''))
            console.error((0, sandbox_report_js_1.formatSandboxReport)(report));
        if (report && report.violations !== '' && !hasFailed)
            throw (0, sandbox_report_js_1.violationError)(report.violations);
    },
};
