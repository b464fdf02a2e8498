/** Reads Markdown: code blocks, tables, and inline code. */

/** Returns the texts of the code blocks of a document, in order, each with a newline at its end. */
export const blocksOf = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^```\S*\n([\s\S]*?)^```$/gmu)].map(([, text = '']) => text)

/** Returns the section of a document with a heading. @throws {Error} There is no such heading. */
export function sectionOf(markdown: string, heading: string): string {
  const lines = markdown.split('\n')
  const start = lines.findIndex((line) => /^#+ /u.test(line) && line.replace(/^#+ /u, '') === heading)
  const depth = /^#+/u.exec(lines[start] ?? '')?.[0].length
  if (depth === undefined) throw new Error(`There is no heading "${heading}"`)
  const rest = lines.slice(start + 1)
  const isEnd = (line: string): boolean => (/^(#+) /u.exec(line)?.[1]?.length ?? Infinity) <= depth
  const end = rest.findIndex(isEnd)
  return (end === -1 ? rest : rest.slice(0, end)).join('\n')
}

/** Returns the tables of a section: their rows, without the head. */
const tablesOf = (section: string): readonly (readonly (readonly string[])[])[] =>
  [...section.matchAll(/(?:^\|.*\n?)+/gmu)].map(([table]) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((row) =>
        row
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      ),
  )

/** Returns the only table of a section. @throws {Error} There is no table, or there are several. */
export function tableOf(section: string): readonly (readonly string[])[] {
  const [table, ...others] = tablesOf(section)
  if (!table || others.length > 0) throw new Error(`There are ${tablesOf(section).length} tables, not 1`)
  return table
}

/** Lists the inline code of a document, without code blocks. */
export function codesIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gmu, '')
  return [...prose.matchAll(/`([^`]+)`/gu)].map(([, code = '']) => code)
}
