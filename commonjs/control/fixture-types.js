"use strict";
/** The types of fixture documents. */
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=fixture-types.js.map