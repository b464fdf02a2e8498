"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=collection-diff.js.map