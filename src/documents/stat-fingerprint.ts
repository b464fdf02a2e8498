import { stat } from 'node:fs'

/** With device, inode and change time: two files may have one time and size. @returns `none`: it cannot be read. */
export function statFingerprint(path: string): Promise<string> {
  // `stat` of `fs/promises` takes twice the time.
  return new Promise((resolve) =>
    stat(path, { bigint: true }, (error, stats) => {
      if (error) resolve('none')
      else resolve(`${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`)
    }),
  )
}
