import { chmodSync, mkdirSync } from 'node:fs'
import path from 'node:path'

const OWNER_ONLY = 0o700

/**
 * Local data are those of customers, and secrets: for their owner alone, whatever this process and those that it starts write there.
 * A folder that is there already is not changed, since STATE may be one of others; what it has of this program is.
 */
export function makePrivateFolder(folder: string, ...own: string[]): void {
  process.umask(0o077)
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY })
  for (const name of own) {
    mkdirSync(path.join(folder, name), { recursive: true, mode: OWNER_ONLY })
    chmodSync(path.join(folder, name), OWNER_ONLY)
  }
}
