import { sql } from 'drizzle-orm'
import { readRestoredAt } from '../../background-job/maintenance/interrupt.ts'
import { callBucket } from '../../bucket-call.ts'
import type { Db } from '../../db/client.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { UUID } from '../../ids.ts'
import { createDailyWalk, type MaintenanceTask } from '../../maintenance-task.ts'
import { team } from '../../team/table.ts'
import { DAY_MS, TIME_TRAVEL_MS } from '../../time-units.ts'

/** R2 lists, and removes, so many in one call. */
const FILES_PER_STEP = 1_000
/** What is younger may be of a team that an import has yet to insert. */
const LOST_AGE_MS_MIN = DAY_MS

/**
 * Removes files that were uploaded so long ago, also those that nothing refers to; and those of teams that are not there:
 * an upload may have come to its end when its team was erased. The bucket is walked through once a day, which costs one
 * listing for a thousand files.
 */
export const createMediaExpiryTask = (
  bucket: R2Bucket,
  db: () => Db,
  retentionMs: number,
  now: number,
): MaintenanceTask =>
  createDailyWalk({ name: 'expire media', db, now }, async after => {
    const from = after === '' ? {} : { startAfter: after }
    const listed = await callBucket(() => bucket.list({ limit: FILES_PER_STEP, ...from }))
    const lost = await findLostTeams(db, listed.objects, now)
    const old = listed.objects
      .filter(({ key, uploaded }) => uploaded.getTime() < now - retentionMs || lost.has(teamIn(key)))
      .map(({ key }) => key)
    if (old.length > 0) await callBucket(() => bucket.delete(old))
    return { done: old.length, next: listed.truncated ? (listed.objects.at(-1)?.key ?? null) : null }
  })

const teamIn = (key: string): string => key.slice(0, key.indexOf('/'))

/**
 * The ids of teams that have files so old, and do not exist. For a month after a restore there are none: it may be taken back,
 * and then the teams are there that it had lost.
 */
async function findLostTeams(db: () => Db, files: readonly R2Object[], now: number): Promise<Set<string>> {
  const old = files.filter(({ uploaded }) => uploaded.getTime() < now - LOST_AGE_MS_MIN)
  const ids = old.map(({ key }) => teamIn(key))
  const named = [...new Set(ids)].filter(id => UUID.test(id))
  if (named.length === 0 || now < (await readRestoredAt(db())) + TIME_TRAVEL_MS) return new Set()
  const [rows] = await db().read(selectLostTeams(named))
  return new Set(rows.map(({ id }) => id))
}

const selectLostTeams = (ids: readonly string[]): Statement<{ id: string }> =>
  statement(
    sql`SELECT value AS id FROM json_each(${JSON.stringify(ids)})
      WHERE NOT EXISTS (SELECT 1 FROM ${team} WHERE ${team.id} = value)`,
  )
