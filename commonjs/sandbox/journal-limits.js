"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.defaultJournalLimits = void 0;
exports.defaultJournalLimits = { maxEntries: 1000, maxBytes: 32 * 1024 * 1024 };
