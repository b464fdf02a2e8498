/** Prints lines and tables. */

/** Writes a line. */
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
