/** Writes files that can be run as commands. */
import { chmod, writeFile } from 'node:fs/promises'

/** Writes a file that can be run as a command. */
export async function writeExecutable(file: string, text: string): Promise<void> {
  await writeFile(file, text)
  await chmod(file, 0o755)
}
