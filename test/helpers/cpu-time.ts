/** Measures the processor time of a process. */
import { readFile } from 'node:fs/promises'

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
