import { stat } from 'node:fs'

/**
 * Two files may have the same time and size (of one commit, one package, or written in one tick of the clock), so device, inode and change
 * time count too. @returns `none` if there is no file, or it cannot be read.
 */
export function statFingerprint(path: string): Promise<string> {
  // `stat` of `fs/promises` takes twice the time.
  return new Promise((resolve) =>
    stat(path, { bigint: true }, (error, stats) => {
      if (error) resolve('none')
      else resolve(`${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`)
    }),
  )
}
