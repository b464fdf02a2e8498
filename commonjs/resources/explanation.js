"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=explanation.js.map