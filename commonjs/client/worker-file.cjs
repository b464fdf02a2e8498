"use strict";
const path = require('node:path');
exports.workerFile = path.join(__dirname, '../../dist/double/worker.js');
