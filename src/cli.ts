#!/usr/bin/env node
/** The command line: arguments, printing, signals, exit codes. */
import { createDouble } from './double.js'
import { print } from './process.js'

const double = await createDouble({ port: 4010 })
print(`Insights double ready at ${double.url}\n`)
