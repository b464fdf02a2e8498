"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=handlers.js.map