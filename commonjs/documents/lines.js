"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.createLineCounter = createLineCounter;
/**
 * Creates a function that converts an offset to a line and a column. It continues from the previous offset, in either direction, because
 * counting from the start for each of many offsets is slow in a large text.
 */
function createLineCounter(text) {
    let line = 1;
    let lineStart = 0;
    return (offset) => {
        while (lineStart < offset) {
            const next = text.indexOf('\n', lineStart);
            if (next === -1 || next >= offset)
                break;
            lineStart = next + 1;
            line++;
        }
        while (lineStart > offset) {
            lineStart = lineStart < 2 ? 0 : text.lastIndexOf('\n', lineStart - 2) + 1;
            line--;
        }
        return { line, column: offset - lineStart + 1 };
    };
}
//# sourceMappingURL=lines.js.map