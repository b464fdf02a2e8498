"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.toPointer = toPointer;
exports.fromPointer = fromPointer;
function toPointer(segments) {
    return ['#', ...segments.map((segment) => String(segment).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}
function fromPointer(pointer) {
    if (pointer === '#')
        return [];
    if (!pointer.startsWith('#/'))
        return undefined;
    try {
        return pointer
            .slice(2)
            .split('/')
            .map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'));
    }
    catch {
        return undefined;
    }
}
