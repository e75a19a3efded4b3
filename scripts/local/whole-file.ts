import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Under its name a file is there as a whole, or as it was before: also where a process is killed, or a disk is full. */
export function writeWhole(file: string, text: string, mode?: number): void {
  renameSync(writePart(`${file}.part`, text, mode), file)
}

/** Writes a file that is not there yet. Of several processes at once, one has done so: false says that it is another one. */
export function writeNew(file: string, text: string, mode?: number): boolean {
  const part = writePart(`${file}.${process.pid}.part`, text, mode)
  try {
    linkSync(part, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(part)
  }
}

function writePart(part: string, text: string, mode?: number): string {
  // One that is left behind may be for others than this mode allows.
  rmSync(part, { force: true })
  const written = openSync(part, 'w', mode)
  try {
    writeFileSync(written, text)
    fsyncSync(written)
  } finally {
    closeSync(written)
  }
  return part
}
