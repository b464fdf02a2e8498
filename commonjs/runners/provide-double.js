"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.provideDouble = provideDouble;
const index_js_1 = require("../index.js");
const node_process_js_1 = require("../node-process.js");
async function provideDouble(options, use) {
    const url = (0, node_process_js_1.environmentVariable)('INSIGHTS_DOUBLE_URL');
    const double = url === undefined ? await startUnreferenced(options) : (0, index_js_1.connectDouble)(url);
    await use(double);
    await double.stop();
}
async function startUnreferenced(options) {
    const double = await (0, index_js_1.startDouble)(options);
    double.unref();
    return double;
}
