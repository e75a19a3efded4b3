import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Under its name a file is there as a whole, or as it was before: also where a process is killed, or a disk is full. */
export function writeWhole(file: string, text: string, mode?: number): void {
  const part = `${file}.part`
  // One that is left behind may be for others than this mode allows.
  rmSync(part, { force: true })
  const written = openSync(part, 'w', mode)
  try {
    writeFileSync(written, text)
    fsyncSync(written)
  } finally {
    closeSync(written)
  }
  renameSync(part, file)
}
