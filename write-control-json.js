/**
 * Writes the value of `spec/control.yaml` as JSON, the last step of `npm run build`. Each process that uses the control plane would need
 * 0.2 s to parse the YAML. A file that is up to date is not touched: a double may be reading it.
 */
import { readFile, writeFile } from 'node:fs/promises'

import { parse } from 'yaml'

const file = new URL('dist/control.json', import.meta.url)
const value = parse(await readFile(new URL('spec/control.yaml', import.meta.url), 'utf8'))
const json = JSON.stringify(value)
const present = await readFile(file, 'utf8').catch(() => '')
if (json !== present) await writeFile(file, json)
