import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { DAY_MS } from '../../src/time-units.ts'
import { isRunning } from '../local/lock.ts'
import type { Installation } from './options.ts'
import { getEndedRestoresFile, getRestoreFile, readJsonFile, writeSecretFile } from './record.ts'
import { addLost, type LostRows, pickLost, type WithdrawnRows } from './revocations.ts'

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
  /** The ids of the teams that the restored database has. */
  teams?: string[]
}

/** What a restore that has ended knows of rows that it may have lost. Of teams, those that it has lost. */
interface EndedRestore extends LostRows {
  endedAt: number
}

/** Time Travel goes back thirty days. */
export const DAYS_MAX = 30

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

/** From the end of a pause on, more may be taken away: what a restore has read before counts only for what it has lost. */
export function forgetRestore(installation: Installation): void {
  const record = readRestoreRecord(installation)
  if (record !== undefined) keepLost(installation, record)
  rmSync(getRestoreFile(installation.name), { force: true })
}

/** Adds what was decided before earlier restores of rows that they have lost. It counts for a time before their end. */
export const addEarlier = (installation: Installation, withdrawn: WithdrawnRows, since: number): WithdrawnRows =>
  readEndedRestores(installation)
    .filter(({ endedAt }) => endedAt > since)
    .reduce(addLost, withdrawn)

/** From newer to older. */
const readEndedRestores = ({ name }: Installation): EndedRestore[] => readJsonFile(getEndedRestoresFile(name)) ?? []

function keepLost(installation: Installation, { withdrawn, teams }: RestoreRecord): void {
  const endedAt = Date.now()
  // What was read first is the last one, and counts.
  const [first, ...others] = withdrawn.toReversed()
  const known = first && pickLost(others.reduce(addLost, first))
  const there = new Set(teams)
  const ended = [
    ...(known ? [{ endedAt, ...known, ...(teams ? {} : { teams: [] }) }] : []),
    ...readEndedRestores(installation),
  ]
    .filter(each => each.endedAt > endedAt - DAYS_MAX * DAY_MS)
    // Of a team that is there, the database tells.
    .map(each => ({ ...each, teams: each.teams.filter(({ id }) => !there.has(id)) }))
  if (ended.length > 0) writeSecretFile(getEndedRestoresFile(installation.name), ended)
}

/** A process that ends is no more at work, in whatever way it ends, but for a kill -9. */
export function releaseAtExit(installation: Installation): void {
  process.once('exit', () => {
    const record = readRestoreRecord(installation)
    if (record?.pid === process.pid) keepRestoreRecord(installation, { ...record, pid: 0 })
  })
}

/** True while the process of the record runs: two on one machine would end the pause of each other. */
export const isAtWork = ({ pid }: RestoreRecord): boolean => pid !== 0 && isRunning(pid)
