"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.doubleFixtures = void 0;
const provide_double_js_1 = require("./provide-double.js");
const sandbox_report_js_1 = require("./sandbox-report.js");
const test_sandbox_js_1 = require("./test-sandbox.js");
exports.doubleFixtures = {
    fixture: [undefined, { option: true }],
    now: [undefined, { option: true }],
    uniqueTokens: [false, { option: true }],
    expectViolations: [false, { option: true }],
    sandboxOrigins: [[], { option: true }],
    doubleOptions: [{}, { scope: 'worker', option: true }],
    double: [async ({ doubleOptions }, use) => (0, provide_double_js_1.provideDouble)(doubleOptions, use), { scope: 'worker' }],
    sandbox: async ({ double, expectViolations, fixture, now, uniqueTokens }, use, test) => {
        const sandbox = await (0, test_sandbox_js_1.createTestSandbox)(double, { expectViolations, fixture, now, uniqueTokens });
        await use(sandbox);
        const report = await (0, sandbox_report_js_1.reportSandbox)(sandbox, expectViolations);
        if (!report)
            return;
        await sandbox.stop();
        const hasFailed = test.status !== test.expectedStatus;
        if (hasFailed || report.violations !== '') {
            const { diff, requests, violations } = report;
            await test.attach('insights-double requests', { body: requests || 'none', contentType: 'text/plain' });
            await test.attach('insights-double changes', { body: diff, contentType: 'application/json' });
            await test.attach('insights-double violations', { body: violations || 'none', contentType: 'text/plain' });
        }
        if (report.violations !== '' && !hasFailed)
            throw (0, sandbox_report_js_1.violationError)(report.violations);
    },
    context: async ({ context, double, sandbox, sandboxOrigins }, use) => {
        const origins = new Set([double.url, ...[sandboxOrigins].flat()].map((url) => new URL(url).origin));
        await context.route(({ origin }) => origins.has(origin), async (route) => route.fallback({ headers: { ...route.request().headers(), 'insights-sandbox': sandbox.name } }));
        await use(context);
    },
};
