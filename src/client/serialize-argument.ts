/** Turns the arguments of a call into JSON text. Refuses values that JSON would drop or change silently. */
import { isPlainObject } from '../validate-options.js'

/**
 * Turns a value into JSON text. A `Date` and every other object with a `toJSON` method is the value that this method returns.
 *
 * @param call - The name of the called function, for messages.
 * @param name - The name of the value, for messages. Undefined: the value is the object of the options.
 * @throws {TypeError} The value contains a function, an instance of a class or anything else that JSON does not have.
 */
export function serializeArgument(call: string, name: string | undefined, value: unknown): string {
  checkPlain(call, name ?? '', value, [])
  return JSON.stringify(value)
}

function checkPlain(call: string, path: string, value: unknown, parents: readonly unknown[]): void {
  if (typeof value !== 'object' || value === null) {
    const isJson = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
    if (!isJson) throw notPlain(call, path, describe(value))
    return
  }
  if (parents.includes(value)) throw notPlain(call, path, 'an object that contains itself')
  const inside = [...parents, value]
  if ('toJSON' in value && typeof value.toJSON === 'function') return checkPlain(call, path, value.toJSON(), inside)
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkPlain(call, `${path}[${index}]`, item, inside)
    return
  }
  if (!isPlainObject(value)) throw notPlain(call, path, `an instance of ${value.constructor.name}`)
  for (const [key, item] of Object.entries(value))
    if (item !== undefined) checkPlain(call, path === '' ? key : `${path}.${key}`, item, inside)
}

function describe(value: unknown): string {
  if (value === undefined || typeof value === 'number') return String(value)
  return typeof value === 'function' ? 'a function' : `a ${typeof value}`
}

function notPlain(call: string, path: string, got: string): TypeError {
  const place = path === '' ? 'the value' : path
  return new TypeError(
    `${call}: ${place} is ${got}. The double runs in another thread, which takes only what JSON has. Give a plain object, array, string, number, true, false or null instead.`,
  )
}
