"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.violationError = void 0;
exports.reportSandbox = reportSandbox;
exports.formatSandboxReport = formatSandboxReport;
const index_js_1 = require("../index.js");
async function reportSandbox(sandbox, expectViolations) {
    try {
        const [{ entries: recorded }, diff] = await Promise.all([sandbox.requests(), sandbox.diff()]);
        const { pathname } = new URL(sandbox.url);
        const entries = recorded.map((entry) => entry.url.startsWith(pathname) ? { ...entry, url: entry.url.slice(pathname.length) } : entry);
        return {
            requests: entries.map(formatEntry).join('\n'),
            diff: JSON.stringify(diff.collections, null, 2),
            violations: expectViolations ? '' : entries.flatMap(formatViolations).join('\n'),
        };
    }
    catch (error) {
        if (error instanceof index_js_1.DoubleError)
            return undefined;
        throw error;
    }
}
function formatSandboxReport({ diff, requests, violations }) {
    const section = (title, text) => `Insights double, ${title}:\n${(text === '' ? 'none' : text).replaceAll(/^/gmu, '  ')}\n`;
    return [section('requests', requests), section('changes', diff), section('violations', violations)].join('');
}
const violationError = (violations) => new Error(`${violations}\nThe client broke the contract. Set expectViolations if the test does so on purpose.`);
exports.violationError = violationError;
function formatEntry(entry) {
    const { caller, method, status, url, verdict, violations } = entry;
    const findings = violations.map(({ message, severity }) => `\n  ${severity === 'Error' ? 'violation' : 'warning'}: ${message}`);
    return `${method} ${url}  ${status ?? 'no response'}  ${caller ?? 'no caller'}  ${verdict}${findings.join('')}`;
}
const formatViolations = ({ method, status, url, violations }) => violations
    .filter(({ severity }) => severity === 'Error')
    .map(({ message }) => `${method} ${url} (${status ?? 'no response'}): ${message}`);
