"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=contract-view.js.map