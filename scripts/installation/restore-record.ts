import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { isRunning } from '../local/lock.ts'
import type { Installation } from './options.ts'
import { getRestoreFile, readJsonFile, writeSecretFile } from './record.ts'
import type { WithdrawnRows } from './revocations.ts'

// What a restore has to know when it is run again: its database has gone back, and tells none of it.

export interface RestoreRecord {
  /** The secret that tells everybody of this restore: `pause-rules.ts`. */
  run: string
  /** The process that works on it; 0 when it has ended. */
  pid: number
  /** What the database goes back to, as wrangler is told it. */
  target: string
  /** From before the pause ends: to go back again would undo what is written from then on. */
  step?: 'restored'
  /** The bookmark from before the first run: it takes the restore back. */
  undo?: string
  /** In the order in which it is written: what was read first comes last. */
  withdrawn: WithdrawnRows[]
}

export const newRestoreRecord = (target: string): RestoreRecord => ({
  run: `RESTORE_${randomBytes(4).toString('hex').toUpperCase()}`,
  pid: process.pid,
  target,
  withdrawn: [],
})

export const readRestoreRecord = ({ name }: Installation): RestoreRecord | undefined =>
  readJsonFile(getRestoreFile(name))

export const keepRestoreRecord = ({ name }: Installation, record: RestoreRecord): void =>
  writeSecretFile(getRestoreFile(name), record)

/** From the end of a pause on, more may be taken away: what a restore has read before is older. */
export const forgetRestore = ({ name }: Installation): void => rmSync(getRestoreFile(name), { force: true })

/** A process that ends is no more at work, in whatever way it ends, but for a kill -9. */
export function releaseAtExit(installation: Installation): void {
  process.once('exit', () => {
    const record = readRestoreRecord(installation)
    if (record?.pid === process.pid) keepRestoreRecord(installation, { ...record, pid: 0 })
  })
}

/** True while the process of the record runs: two on one machine would end the pause of each other. */
export const isAtWork = ({ pid }: RestoreRecord): boolean => pid !== 0 && isRunning(pid)
