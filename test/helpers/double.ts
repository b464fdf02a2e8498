/** Starts doubles for tests, and reads the files of the package. A double stops at the end of its test. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { ExecutionContext } from 'ava'
import type { DoubleHandle, DoubleOptions } from 'insights-double'
import type { Document } from 'yaml'

import type { DoubleListeners } from '#src/double/start-in-this-thread.js'

import { startHere } from './double-in-thread.js'
import { writeTemporary } from './temporary-files.js'
import { hasHost, startHosted } from './test-host-client.js'
import { validateWith } from './validate-responses.js'

/** The parts of a double that a test needs. */
export interface Served {
  /** The base URL, without a slash at the end. */
  readonly url: string
}

/** Starts a double on a free port, in memory. It stops with the test. */
export async function serve(t: ExecutionContext, options: DoubleOptions & DoubleListeners = {}): Promise<DoubleHandle> {
  return servedUntilEnd(t, await startDouble(options), options)
}

/** Starts a double as `serve` does, but always in this thread: for tests that block the thread, read its pid, or listen to the double. */
export async function serveHere(
  t: ExecutionContext,
  options: DoubleOptions & DoubleListeners = {},
): Promise<DoubleHandle> {
  return servedUntilEnd(t, await startHere(options), options)
}

function servedUntilEnd(t: ExecutionContext, double: DoubleHandle, { spec }: DoubleOptions): DoubleHandle {
  t.teardown(() => double.stop())
  validateWith(double, spec)
  return double
}

/**
 * Starts a double in the process that hosts the doubles of all test files. If an option is a function, starts it in this thread.
 *
 * @throws The errors of the package's `startDouble`.
 */
export async function startDouble(options: DoubleOptions & DoubleListeners = {}): Promise<DoubleHandle> {
  const isHosted = hasHost && Object.values(options).every((value) => typeof value !== 'function')
  return isHosted ? startHosted(options) : startHere(options)
}

/** Starts a double with a changed copy of the package's spec. */
export async function serveChanged(
  t: ExecutionContext,
  change: (spec: Document) => void,
  options: DoubleOptions & DoubleListeners = {},
): Promise<Served> {
  return serve(t, { ...options, spec: await changedSpec(t, change) })
}

/** Writes a changed copy of the package's spec to a file. @returns Its path. */
export async function changedSpec(t: ExecutionContext, change: (spec: Document) => void): Promise<string> {
  const { parseDocument } = await import('yaml')
  const spec = parseDocument(await readPackageFile('spec/insights.yaml'))
  change(spec)
  return writeTemporary(t, 'insights.yaml', spec.toString())
}

/** Reads a file of the package as text. */
export const readPackageFile = async (path: string): Promise<string> => readPackageFileSync(path)

/** Reads a file of the package as text, before tests are declared: AVA accepts no test that is declared after an `await`. */
export const readPackageFileSync = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')

/** An object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Returns a value as an object. @throws {TypeError} It is not an object. */
export function asObject(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${JSON.stringify(value)} is not an object`)
  return Object.fromEntries(Object.entries(value))
}

/** Returns a value as an array. @throws {TypeError} It is not an array. */
export function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${JSON.stringify(value)} is not a list`)
  return value
}

/** Reads the spec of the package without the code of the double. */
export async function readSpec(): Promise<JsonObject> {
  return readYaml('spec/insights.yaml')
}

/** Reads a fixture of the package without the code of the double. */
export async function readFixture(file: string): Promise<JsonObject> {
  return readYaml(`fixtures/${file}`)
}

async function readYaml(path: string): Promise<JsonObject> {
  // Loaded on first use: most test files do not need it.
  const { parse } = await import('yaml')
  return asObject(parse(await readPackageFile(path)))
}

/** Returns the records of a fixture that a caller has access to: in the order of the file, with ids and without `$access`. */
export function visibleIn(fixture: JsonObject, caller: string): readonly JsonObject[] {
  return asList(fixture['insights']).flatMap((record, index) => {
    const { $access: access, ...insight } = asObject(record)
    if (access !== undefined && !asList(access).includes(caller)) return []
    return [{ id: `insight-${index + 1}`, ...insight }]
  })
}
