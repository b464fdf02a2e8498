/** Koa with one middleware that sends ready bytes, also those of 50 limits. Usage: node plain-koa.js <port> <file> */
import { readFileSync } from 'node:fs'

import Koa from 'koa'

const [, , port = '0', file = ''] = process.argv
const bytes = readFileSync(file)
const records = JSON.parse(bytes.toString()) as readonly unknown[]
const limited = Array.from({ length: 50 }, (_, at) => Buffer.from(JSON.stringify(records.slice(0, at + 1))))
const byPath = new Map(limited.map((each, at) => [`/insights?limit=${at + 1}`, each]))
const app = new Koa()
app.use((ctx) => {
  ctx.type = 'application/json'
  ctx.body = byPath.get(ctx.url) ?? bytes
})
app.listen(Number(port), '127.0.0.1')
