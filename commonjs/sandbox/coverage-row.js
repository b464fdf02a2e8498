"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=coverage-row.js.map