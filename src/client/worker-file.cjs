/** Finds the file of the worker. A CommonJS file finds it in the same way for the ES module and for the CommonJS entry of the package. */
const path = require('node:path')

exports.workerFile = path.join(__dirname, '../../dist/double/worker.js')
