"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.openDouble = openDouble;
const index_js_1 = require("../index.js");
const node_process_js_1 = require("../node-process.js");
/**
 * Connects to the double at `INSIGHTS_DOUBLE_URL`. If that is not set, starts one.
 *
 * @param options - The options of a double that is started.
 */
async function openDouble(options) {
    const url = (0, node_process_js_1.environmentVariable)('INSIGHTS_DOUBLE_URL');
    return url === undefined ? (0, index_js_1.startDouble)(options) : (0, index_js_1.connectDouble)(url);
}
//# sourceMappingURL=open-double.js.map