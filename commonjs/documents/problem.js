"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.formatProblems = exports.ProblemsError = void 0;
exports.formatProblem = formatProblem;
exports.addFlagToHints = addFlagToHints;
const pointer_js_1 = require("./pointer.js");
class ProblemsError extends Error {
    name = 'ProblemsError';
    problems;
    constructor(problems) {
        const sorted = problems.toSorted(byPosition);
        super((0, exports.formatProblems)(problems).join('\n'));
        this.problems = sorted;
    }
}
exports.ProblemsError = ProblemsError;
function byPosition({ position: one }, { position: other }) {
    return (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0);
}
const formatProblems = (problems) => problems.toSorted(byPosition).map(formatProblem);
exports.formatProblems = formatProblems;
function formatProblem(problem) {
    const { file, position, path, what, hint } = problem;
    const location = position ? `${position.file ?? file}:${position.line}:${position.column}` : file;
    return [location, ...(path ? [(0, pointer_js_1.toPointer)(path)] : []), what, hint].join('  ');
}
function addFlagToHints(flag, error) {
    if (!(error instanceof ProblemsError))
        return error;
    const withFlag = (problem) => problem.position || problem.hint.includes('name another file with')
        ? problem
        : { ...problem, hint: `${problem.hint}, or name another file with ${flag}` };
    return new ProblemsError(error.problems.map(withFlag));
}
