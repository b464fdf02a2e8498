"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.startDouble = startDouble;
const handle_js_1 = require("./client/handle.js");
const serialize_argument_js_1 = require("./client/serialize-argument.js");
const worker_thread_js_1 = require("./client/worker-thread.js");
const options_js_1 = require("./options.js");
const validate_options_js_1 = require("./validate-options.js");
async function startDouble(options = {}) {
    (0, validate_options_js_1.validateOptions)('startDouble', options, options_js_1.doubleOptions);
    const { handlers } = options;
    const plain = { ...options, handlers: typeof handlers === 'object' ? handlers.href : handlers };
    const start = JSON.parse((0, serialize_argument_js_1.serializeArgument)('startDouble', undefined, plain));
    const worker = (0, worker_thread_js_1.workerConnection)();
    const url = String(await worker.call({ start }));
    const unref = worker.keepAlive();
    const handle = (0, handle_js_1.createHandle)(url, {
        adminToken: options.adminToken,
        send: (request) => worker.call({ send: request }),
        onStop: async () => {
            await worker.call({ stop: url });
            unref();
        },
    });
    return Object.assign(handle, { unref });
}
