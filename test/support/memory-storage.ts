import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'
import { isRunning } from '../../scripts/local/lock.ts'

/** What Linux keeps in memory; a container may have much less of it than a run writes (300 MB). */
const MEMORY = '/dev/shm'
const NEEDED_BYTES = 2 ** 30
/** Nobody else's folders are touched. */
const PREFIX = `caseworker-tests-${process.getuid?.() ?? 'own'}-`

/**
 * Runs before Miniflare is made. Nobody reads the storage of tests after them, and on a disk each commit waits for it: half of the
 * time went into that. A folder that TMPDIR names is used as it is.
 */
export function keepStorageInMemory(): void {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return
  for (const name of readdirSync(MEMORY).filter(isLeftBehind))
    rmSync(path.join(MEMORY, name), { recursive: true, force: true })
  const folder = path.join(MEMORY, `${PREFIX}${process.pid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env.TMPDIR = folder
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= NEEDED_BYTES
  } catch {
    return false
  }
}

/** Returns whether a folder is that of a run that was killed. */
const isLeftBehind = (name: string): boolean => name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length)))
