import { type SQL, sql } from 'drizzle-orm'
import { apiKey } from '../../api-key/table.ts'
import { changedSinceError } from '../../background-job/planned-changes.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { statement } from '../../db/statement.ts'
import type { AppError } from '../../errors.ts'
import { type Author, type EventAuthor, viewAuthor } from '../../event/author.ts'
import { event } from '../../event/table.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { user } from '../../user/table.ts'
import type { ProcessEventType } from '../events.ts'
import { process, processTrash as trash } from '../table.ts'

/** A change of a process, as errors name it. */
export interface ChangeWithAuthor {
  type: ProcessEventType
  at: number
  by: Author
  /** What the API key or the user is called, where the database still has the event and the name. */
  byName?: string | null
}

/** What the API key of an event is called, or its user, where neither a key nor a job stands before them. */
export const selectAuthorName = (team: number): SQL<string | null> => sql<string | null>`ifnull(
  (SELECT ${apiKey.name} FROM ${apiKey} WHERE ${apiKey.id} = ${event.by} ->> '$.apiKey' AND +${apiKey.team} = ${team}),
  (SELECT ifnull(nullif(${user.displayName}, ''), ${user.username}) FROM ${user}
    WHERE ${user.id} = ${event.by} ->> '$.user' AND +${user.team} = ${team} AND ${event.by} ->> '$.apiKey' IS NULL
      AND ${event.by} ->> '$.job' IS NULL))`

/** What an error says of a change beside its sentence. */
export interface ChangeDetail {
  event: ProcessEventType
  at: number
  by: EventAuthor
}

export const toChangeDetail = ({ type, at, by }: ChangeWithAuthor, entry?: number): ChangeDetail => ({
  event: type,
  at,
  by: viewAuthor(by, entry),
})

const VERBS: Partial<Record<ProcessEventType, string>> = {
  'process.created': 'created',
  'process.deleted': 'deleted',
  'process.restored': 'restored',
}

/** "the process was deleted by the API key import, at 2026-11-27T10:00:00.000Z"; `job` is how a job is called that did it. */
export function formatChange(what: string, { type, at, by, byName }: ChangeWithAuthor, job: string): string {
  const who =
    by.job !== undefined
      ? job
      : by.apiKey === undefined
        ? `the user ${byName ?? by.user ?? null}`
        : `the API key ${byName ?? by.apiKey}`
  return `${what} was ${VERBS[type] ?? 'changed'} by ${who}, at ${new Date(at).toISOString()}`
}

/** The last change of a process, and the primary key that it has since, or had when it was deleted. */
interface LastChange extends ChangeWithAuthor {
  primaryKey: string | null
}

/** The last changes of what is not as a dry run saw it: by row number, and by the primary key of what was deleted. */
export interface LastChanges {
  byRid: ReadonlyMap<number, LastChange>
  byKey: ReadonlyMap<string, LastChange>
}

/**
 * Finds the last changes of processes, live or in the trash. What has moved to an object is older than any dry run that is
 * kept. Of an event only what stands before its values is read: a step of a job has one row for all that it has changed.
 */
export async function loadLastChanges(
  { db, team }: Pick<Scope, 'db' | 'team'>,
  { no }: Procedure,
  { rids, keys = [] }: { rids: readonly number[]; keys?: readonly string[] },
): Promise<LastChanges> {
  if (rids.length === 0 && keys.length === 0) return { byRid: new Map(), byKey: new Map() }
  const named = ridList([...new Set(rids)])
  const lastDeleted = sql`(SELECT ${trash.rid} FROM ${trash} INDEXED BY process_trash_key
    WHERE ${trash.proc} = ${no} AND ${trash.primaryKey} = name.value ORDER BY ${trash.deletedAt} DESC, ${trash.rid} DESC LIMIT 1)`
  const inTrash = sql`${trash.row} ->> '$.lastEvent'`
  const [found] = await db.read(
    statement<{
      rid: number
      key: string | null
      primaryKey: string | null
      type: ProcessEventType
      at: number
      by: string
      byName: string | null
    }>(
      sql`SELECT last.rid AS rid, last.name AS "key", last.called AS "primaryKey", ${event.type} AS type, ${event.at} AS at, json(${event.by}) AS "by",
        ${selectAuthorName(team.no)} AS byName
      FROM (SELECT ${process.rid} AS rid, NULL AS name, ${process.primaryKey} AS called, ${process.lastEvent} AS sequence
          FROM ${process}
          WHERE ${process.rid} IN ${named} AND +${process.proc} = ${no}
        UNION ALL SELECT ${trash.rid}, NULL, ${trash.primaryKey}, ${inTrash} FROM ${trash}
          WHERE ${trash.rid} IN ${named} AND +${trash.proc} = ${no}
        UNION ALL SELECT ${trash.rid}, name.value, ${trash.primaryKey}, ${inTrash} FROM json_each(${JSON.stringify([...new Set(keys)])}) AS name
          CROSS JOIN ${trash} ON ${trash.rid} = ${lastDeleted}) last
      CROSS JOIN ${event} ON ${event.team} = ${team.no} AND ${event.sequence} = last.sequence`,
    ),
  )
  const changes = found.map(({ by, ...row }) => ({ ...row, by: JSON.parse(by) as Author }))
  return {
    byRid: new Map(changes.filter(({ key }) => key === null).map(change => [change.rid, change])),
    byKey: new Map(changes.flatMap(change => (change.key === null ? [] : [[change.key, change]]))),
  }
}

/** The error of an entry whose process is not as its dry run saw it. `name` is for a process without a primary key. */
export function toChangedSincePlan(name: string, change?: LastChange): AppError {
  if (!change) return changedSinceError(`process ${name} has changed`)
  const said = formatChange(`process ${change.primaryKey ?? name}`, change, `the background job ${change.by.job}`)
  return changedSinceError(said, toChangeDetail(change))
}
