"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.nearestName = nearestName;
exports.suggest = suggest;
function nearestName(name, known, maxEdits = 2) {
    if (known.includes(name))
        return undefined;
    let best;
    let fewest = Math.min(maxEdits, name.length / 2) + 0.25;
    for (const candidate of known) {
        if (Math.abs(candidate.length - name.length) > maxEdits)
            continue;
        const count = edits(name.toLowerCase(), candidate.toLowerCase()) || 0.5;
        if (count >= fewest)
            continue;
        fewest = count;
        best = candidate;
    }
    return best;
}
function suggest(name, known, otherwise = `use ${known.join(', ')}`) {
    const near = nearestName(name, known);
    return near === undefined ? otherwise : `did you mean ${near}?`;
}
function edits(one, other) {
    let beforeLast = [];
    let last = Array.from({ length: other.length + 1 }, (_, index) => index);
    for (let row = 1; row <= one.length; row++) {
        const next = [row];
        for (let column = 1; column <= other.length; column++) {
            const isSame = one[row - 1] === other[column - 1];
            const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
            const replaced = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
            const added = Math.min(last[column] ?? 0, next[column - 1] ?? 0) + 1;
            const swapped = isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity;
            next.push(Math.min(replaced, added, swapped));
        }
        beforeLast = last;
        last = next;
    }
    return last[other.length] ?? 0;
}
