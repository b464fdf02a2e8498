/** Koa with one middleware that sends ready bytes. Usage: node plain-koa.js <port> <file> */
import { readFileSync } from 'node:fs'

import Koa from 'koa'

const [, , port = '0', file = ''] = process.argv
const bytes = readFileSync(file)
const app = new Koa()
app.use((ctx) => {
  ctx.type = 'application/json'
  ctx.body = bytes
})
app.listen(Number(port), '127.0.0.1')
