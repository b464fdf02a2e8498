/** For the scripts: arguments such as `seconds=5`, tables, times and quantiles. */
import { readFile } from 'node:fs/promises'

/** Reads arguments such as `seconds=5`. @param defaults - By name. @throws {TypeError} A value is not a whole number from 0. */
export function numberArguments<T extends Readonly<Record<string, number>>>(defaults: T): Record<keyof T, number> {
  const given = Object.entries(defaults).map(([name, byDefault]) => {
    const text = wordArgument(name) ?? String(byDefault)
    if (!/^\d{1,9}$/u.test(text)) throw new TypeError(`${name} must be a whole number from 0, got "${text}"`)
    return [name, Number(text)]
  })
  return Object.fromEntries(given) as Record<keyof T, number>
}

export const wordArgument = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Writes a table with aligned columns. The first row is the head. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** Returns a quantile of a list. @param part - From 0 to 1. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Measures the time of a call, milliseconds. Assert lower limits only: on a busy machine any call may take long. */
export async function timed<T>(run: () => Promise<T>): Promise<readonly [result: T, milliseconds: number]> {
  const started = performance.now()
  const result = await run()
  return [result, performance.now() - started]
}

/**
 * Returns the processor time that a process has used, milliseconds. On a busy machine it is more exact than the elapsed time.
 * NaN if the system does not report it.
 */
export async function cpuMsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The command is in parentheses and may contain any character; ticks are 10 ms.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
