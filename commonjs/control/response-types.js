"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=response-types.js.map