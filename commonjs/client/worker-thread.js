"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) {
    return (mod && mod.__esModule) ? mod : { "default": mod };
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.workerConnection = void 0;
const node_worker_threads_1 = __importDefault(require("node:worker_threads"));
const error_message_js_1 = require("../error-message.js");
const node_process_js_1 = require("../node-process.js");
const control_request_js_1 = require("./control-request.js");
const serialize_error_js_1 = require("./serialize-error.js");
const worker_file_cjs_1 = require("./worker-file.cjs");
let connection;
const workerConnection = () => (connection ??= connect());
exports.workerConnection = workerConnection;
function connect() {
    const worker = findOrStartWorker();
    const { port1: port, port2 } = new node_worker_threads_1.default.MessageChannel();
    worker.postMessage(port2, [port2]);
    const pending = new Map();
    const running = new Set();
    let lastId = 0;
    let ended;
    const updateRef = () => {
        if (pending.size + running.size > 0)
            port.ref();
        else
            port.unref();
    };
    let reason;
    worker.on('error', (error) => (reason = (0, error_message_js_1.errorMessage)(error)));
    worker.once('exit', (code) => {
        ended = new control_request_js_1.NoResponseError(`The worker thread of the double has ended: ${reason ?? `exit code ${code}`}.`);
        connection = undefined;
        for (const { reject } of pending.values())
            reject(ended);
        port.close();
    });
    port.once('close', () => worker.ref());
    port.on('message', (text) => {
        const { failure, id, result } = JSON.parse(text);
        const call = pending.get(id);
        pending.delete(id);
        updateRef();
        if (failure)
            call?.reject((0, serialize_error_js_1.deserializeError)(failure));
        else
            call?.resolve(result);
    });
    updateRef();
    return {
        call: (call) => new Promise((resolve, reject) => {
            if (ended)
                return reject(ended);
            const id = ++lastId;
            pending.set(id, { resolve, reject });
            updateRef();
            port.postMessage(JSON.stringify({ id, ...call }));
        }),
        keepAlive: () => {
            const token = Symbol('running double');
            running.add(token);
            updateRef();
            return () => {
                running.delete(token);
                updateRef();
            };
        },
    };
}
const place = Symbol.for(worker_file_cjs_1.workerFile);
function findOrStartWorker() {
    const shared = node_worker_threads_1.default;
    if (shared[place] && shared[place].threadId !== -1)
        return shared[place];
    const worker = new node_worker_threads_1.default.Worker(worker_file_cjs_1.workerFile, {
        name: 'insights-double',
        execArgv: [],
        env: (0, node_process_js_1.environmentWithout)('NODE_OPTIONS'),
    });
    worker.setMaxListeners(0);
    worker.unref();
    Object.defineProperty(shared, place, { value: worker, configurable: true });
    return worker;
}
