"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.connectDouble = connectDouble;
const validate_options_js_1 = require("../validate-options.js");
const handle_option_rules_js_1 = require("./handle-option-rules.js");
const handle_js_1 = require("./handle.js");
const worker_thread_js_1 = require("./worker-thread.js");
function connectDouble(url, options = {}) {
    const base = (0, handle_option_rules_js_1.normalizeUrl)(url);
    (0, validate_options_js_1.validateOptions)('connectDouble', options, handle_option_rules_js_1.connectOptions);
    return (0, handle_js_1.createHandle)(base, { ...options, send: sendFromWorker, onStop: async () => { } });
}
const sendFromWorker = (request) => (0, worker_thread_js_1.workerConnection)().call({ send: request });
