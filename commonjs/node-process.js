"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) {
    return (mod && mod.__esModule) ? mod : { "default": mod };
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.environmentWith = exports.isWindows = exports.isErrorTerminal = exports.hasTerminal = exports.ancestorsAtStart = exports.ownThread = exports.findProcess = exports.environmentWithout = exports.parentPid = exports.parentPidAtStart = exports.ownPid = exports.nodePath = exports.commandLineArguments = void 0;
exports.environmentVariable = environmentVariable;
exports.enableCompileCache = enableCompileCache;
exports.print = print;
exports.printError = printError;
exports.isThreadAlive = isThreadAlive;
exports.onStopSignal = onStopSignal;
exports.onEndSignal = onEndSignal;
exports.sendSignal = sendSignal;
exports.sendToParent = sendToParent;
exports.onParentMessageOrEnd = onParentMessageOrEnd;
exports.disconnectFromParent = disconnectFromParent;
exports.ignoreFileSizeSignal = ignoreFileSizeSignal;
exports.setExitCode = setExitCode;
exports.exitNow = exitNow;
exports.ignoreClosedPipe = ignoreClosedPipe;
exports.ignoreClosedOutput = ignoreClosedOutput;
const node_fs_1 = require("node:fs");
const node_module_1 = __importDefault(require("node:module"));
const node_path_1 = require("node:path");
const node_process_1 = __importDefault(require("node:process"));
const node_tty_1 = require("node:tty");
const node_worker_threads_1 = require("node:worker_threads");
const commandLineArguments = () => node_process_1.default.argv.slice(2);
exports.commandLineArguments = commandLineArguments;
exports.nodePath = node_process_1.default.execPath;
exports.ownPid = node_process_1.default.pid;
exports.parentPidAtStart = node_process_1.default.ppid;
const parentPid = () => (isProcessAlive(node_process_1.default.ppid) ? node_process_1.default.ppid : 0);
exports.parentPid = parentPid;
function environmentVariable(name) {
    const value = node_process_1.default.env[name];
    return value === '' ? undefined : value;
}
const environmentWithout = (name) => {
    const { [name]: _, ...others } = node_process_1.default.env;
    return others;
};
exports.environmentWithout = environmentWithout;
function enableCompileCache() {
    if ('enableCompileCache' in node_module_1.default && typeof node_module_1.default.enableCompileCache === 'function')
        node_module_1.default.enableCompileCache();
}
function print(text) {
    node_process_1.default.stdout.write(text);
}
function printError(text) {
    node_process_1.default.stderr.write(text);
}
function isProcessAlive(pid) {
    try {
        node_process_1.default.kill(pid, 0);
        return true;
    }
    catch (error) {
        return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
}
const findProcess = (pid) => readStatus(pid, `/proc/${pid}/stat`);
exports.findProcess = findProcess;
function readStatus(pid, file) {
    let text;
    try {
        text = (0, node_fs_1.readFileSync)(file, 'utf8');
    }
    catch {
        return undefined;
    }
    const end = text.lastIndexOf(')');
    const fields = text.slice(end + 2).split(' ');
    return {
        pid,
        name: text.slice(text.indexOf('(') + 1, end),
        parentPid: Number(fields[1]),
        session: Number(fields[3]),
        startTime: fields[19] ?? '',
        hasEnded: fields[0] === 'Z',
    };
}
exports.ownThread = nameOwnThread();
function nameOwnThread() {
    try {
        const id = (0, node_path_1.basename)((0, node_fs_1.readlinkSync)('/proc/thread-self'));
        return `${id}@${readStatus(exports.ownPid, `/proc/thread-self/stat`)?.startTime ?? ''}`;
    }
    catch {
        return `node:${node_worker_threads_1.threadId}`;
    }
}
function isThreadAlive(pid, thread) {
    const [id = '', startTime] = thread.split('@');
    if (startTime === undefined)
        return pid === exports.ownPid ? undefined : isProcessAlive(pid);
    const status = readStatus(pid, `/proc/${pid}/task/${id}/stat`);
    return status !== undefined && status.startTime === startTime && !status.hasEnded;
}
exports.ancestorsAtStart = ancestors(node_process_1.default.ppid);
function ancestors(pid) {
    const parent = (0, exports.findProcess)(pid);
    return parent ? [parent, ...ancestors(parent.parentPid)] : [];
}
function onStopSignal(listener) {
    node_process_1.default.on('SIGTERM', listener);
    node_process_1.default.on('SIGINT', listener);
}
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
function onEndSignal(listener) {
    for (const signal of endSignals)
        node_process_1.default.on(signal, listener);
}
function sendSignal(pid, signal) {
    try {
        node_process_1.default.kill(pid, signal);
    }
    catch (error) {
        const hasEnded = error instanceof Error && 'code' in error && error.code === 'ESRCH';
        if (!hasEnded)
            throw error;
    }
}
exports.hasTerminal = [0, 1, 2].some((fd) => (0, node_tty_1.isatty)(fd));
exports.isErrorTerminal = (0, node_tty_1.isatty)(2);
exports.isWindows = node_process_1.default.platform === 'win32';
const environmentWith = (variables) => ({
    ...node_process_1.default.env,
    ...variables,
});
exports.environmentWith = environmentWith;
function sendToParent(message) {
    node_process_1.default.send?.(message);
}
function onParentMessageOrEnd(listener) {
    const callOnce = () => {
        node_process_1.default.off('message', callOnce);
        node_process_1.default.off('disconnect', callOnce);
        listener();
    };
    node_process_1.default.on('message', callOnce);
    node_process_1.default.on('disconnect', callOnce);
    if (!node_process_1.default.connected)
        callOnce();
}
function disconnectFromParent() {
    if (node_process_1.default.connected)
        node_process_1.default.disconnect();
}
function ignoreFileSizeSignal() {
    node_process_1.default.on('SIGXFSZ', () => { });
}
function setExitCode(code) {
    node_process_1.default.exitCode = code;
}
function exitNow(code) {
    node_process_1.default.exit(code);
}
function ignoreClosedPipe() {
    node_process_1.default.stdout.on('error', (error) => {
        if (error.code === 'EPIPE')
            node_process_1.default.exit(0);
        throw error;
    });
}
function ignoreClosedOutput() {
    for (const stream of [node_process_1.default.stdout, node_process_1.default.stderr])
        stream.on('error', () => { });
}
