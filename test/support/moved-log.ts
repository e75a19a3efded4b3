import { env } from 'cloudflare:workers'
import { openDatabase } from '../../src/db/databases.ts'
import { createMoveTask } from '../../src/event/object/move.ts'
import { DAY_MS } from '../../src/time-units.ts'
import type { Team } from './api.ts'

/** Events this old are of another month than the present ones. */
const DAYS_AGO = 70
const RECENT_MS = 35 * DAY_MS

/** Spreads the events of a team over a year: all but the last one, some days apart. */
export async function ageLog({ no }: Pick<Team, 'no'>, daysBetween = 5): Promise<void> {
  await env.DB.prepare(
    `UPDATE event SET at = at - ?2 - ?3 * ((SELECT max(sequence) FROM event WHERE team = ?1) - sequence)
      WHERE team = ?1 AND sequence < (SELECT max(sequence) FROM event WHERE team = ?1)`,
  )
    .bind(no, DAYS_AGO * DAY_MS, daysBetween * DAY_MS)
    .run()
}

/** Moves what is old, of all teams. */
export async function moveLogs(bindings: Pick<Env, 'ARCHIVE'> = env, db = openDatabase(env)): Promise<void> {
  await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'move history'").run()
  const task = createMoveTask({
    bucket: bindings.ARCHIVE,
    db: () => db.reconnect(),
    now: Date.now(),
    recentMs: RECENT_MS,
  })
  while ((await task.step()).hasMore);
}

/** The log of a team is in objects, but for its last event. */
export async function moveLog(team: Pick<Team, 'no'>, daysBetween?: number): Promise<void> {
  await ageLog(team, daysBetween)
  await moveLogs()
}

interface StoredObject {
  first: number
  last: number
  no: number
}

export async function loadObjects({ no }: Pick<Team, 'no'>): Promise<StoredObject[]> {
  const { results } = await env.DB.prepare('SELECT first, last, no FROM event_object WHERE team = ? ORDER BY last')
    .bind(no)
    .all<StoredObject>()
  return results
}

export const objectKeys = async ({ id }: Pick<Team, 'id'>): Promise<string[]> =>
  (await env.ARCHIVE.list({ prefix: `log/${id}/` })).objects.map(({ key }) => key)

export const rowsLeft = async ({ no }: Pick<Team, 'no'>): Promise<number> =>
  (await env.DB.prepare('SELECT count(*) AS n FROM event WHERE team = ?').bind(no).first<number>('n')) ?? 0

/** Reads an object as text. */
export async function readText(key: string): Promise<string> {
  const object = await env.ARCHIVE.get(key)
  if (!object) return ''
  return key.startsWith('log/')
    ? new Response(object.body.pipeThrough(new DecompressionStream('gzip'))).text()
    : object.text()
}
