import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../db/statement.ts'
import { insertForFeeds } from '../../event/feed-rows.ts'
import { message } from '../table.ts'

/** What an event keeps of a change of the delivery status, by the row number of the message. Numbers of statuses. */
export interface StatusEventDetails {
  id: string
  from: number
  to: number
}

const statusEvent = (to: SQL, at: number) => ({
  type: 'message.status_changed' as const,
  at,
  key: message.rid.getSQL(),
  after: sql`json_object('id', ${message.id}, 'from', ${message.delivery}, 'to', ${to})`,
})

/** A message whose status may change: found by our id, else by the provider's. */
interface StatusChange {
  team: number
  rid: number | null
  id: string | null
  externalId: string | null
  plugin?: number | undefined
  delivery: number
}

const changed = (name: string): SQL => sql`change.value ->> ${sql.raw(`'$.${name}'`)}`

/**
 * The events of changes that the UPDATE behind this statement makes (`advance` of `delivery.ts`): of a status that grows.
 * An event that is known already, or that UNKNOWN makes of anything but PENDING, changes none. One row for each team.
 */
export function insertStatusEvents(
  changes: readonly StatusChange[],
  { isOurs, at }: { isOurs: boolean; at: number },
): Statement {
  const teams = [...Map.groupBy(changes, ({ team }) => team)].map(([team, some]) => ({
    team,
    changes: some.map(({ rid, id, externalId, plugin, delivery }) =>
      isOurs ? { rid, id, plugin, delivery } : { externalId, plugin, delivery },
    ),
  }))
  const isTarget = isOurs
    ? sql`${message.rid} = ${changed('rid')} AND ${message.id} = ${changed('id')}`
    : sql`${message.externalId} = ${changed('externalId')}`
  return insertForFeeds(
    statusEvent(changed('delivery'), at),
    join => sql`FROM json_each(${JSON.stringify(teams)}) told ${join(sql`told.value ->> '$.team'`)}
      CROSS JOIN json_each(told.value, '$.changes') change CROSS JOIN ${message} ON ${isTarget}
        AND +${message.team} = told.value ->> '$.team' AND ${message.received} IS NULL
        AND coalesce(${changed('plugin')}, +${message.plugin}) = +${message.plugin}
        AND ${message.delivery} < ${changed('delivery')}`,
  )
}

/** The events of messages that a condition finds, whose teams are not known. `found` has their row numbers as `rid`. */
export const insertFoundStatusEvents = (found: SQL, delivery: number, at: number): Statement =>
  insertForFeeds(
    statusEvent(sql.raw(String(delivery)), at),
    join =>
      sql`FROM (${found}) found CROSS JOIN ${message} ON ${message.rid} = found.rid ${join(message.team.getSQL())}`,
  )
