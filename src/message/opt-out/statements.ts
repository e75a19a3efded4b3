import { type SQL, sql } from 'drizzle-orm'
import { guard } from '../../db/guard.ts'
import {
  assignments,
  columnName,
  insertInto,
  type RowOf,
  type Statement,
  select,
  statement,
} from '../../db/statement.ts'
import { toRowNo } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { whereTeamPresent } from '../../team-status/present-team.ts'
import { message } from '../table.ts'
import { optOut } from './table.ts'

const FIELDS = { phone: optOut.phone, since: optOut.since, message: optOut.message }
export type OptOutRow = RowOf<typeof FIELDS>

const whereNotEnded = (scope: Scope): SQL => sql`${optOut.team} = ${scope.team.no} AND ${optOut.endedAt} IS NULL`

const fromAnyOptedOut = (scope: Scope): SQL => sql`FROM ${optOut} WHERE ${whereNotEnded(scope)}`

const fromOptedOut = (scope: Scope, phones: readonly string[]): SQL =>
  sql`FROM json_each(${JSON.stringify(phones)}) asked CROSS JOIN ${optOut} ON ${optOut.phone} = asked.value
    WHERE ${whereNotEnded(scope)}`

export const OPTED_OUT = 'the number has opted out'

/** Fails the transaction if one of the numbers asked not to be written to. Each is looked up only where the team has any. */
export const guardNotOptedOut = (scope: Scope, phones: readonly string[]): Statement =>
  guard(
    OPTED_OUT,
    sql`NOT (EXISTS (SELECT 1 ${fromAnyOptedOut(scope)}) AND EXISTS (SELECT 1 ${fromOptedOut(scope, phones)}))`,
  )

/** Which of these numbers asked not to be written to. */
export const selectOptedOut = (scope: Scope, phones: readonly string[]): Statement<OptOutRow> =>
  select(FIELDS, fromOptedOut(scope, phones))

/** Whether there is any: most teams have none, and then nobody needs to be looked up. */
export const selectHasOptOuts = (scope: Scope): Statement<{ found: number }> =>
  select({ found: sql<number>`1` }, sql`${fromAnyOptedOut(scope)} LIMIT 1`)

/** By number, those after one; one more than asked for, which tells whether there are more. */
export const selectOptOuts = (scope: Scope, after: string, limit: number): Statement<OptOutRow> =>
  select(
    FIELDS,
    sql`FROM ${optOut} WHERE ${whereNotEnded(scope)} AND ${optOut.phone} > ${after} ORDER BY ${optOut.phone} LIMIT ${limit + 1}`,
  )

export const endOptOut = (scope: Scope, phone: string): Statement =>
  statement(sql`UPDATE ${optOut} SET ${assignments(optOut, { endedAt: scope.now })}
    WHERE ${whereNotEnded(scope)} AND ${optOut.phone} = ${phone}`)

/** A message that was refused because its recipient opted out. `id` is ours, `externalId` the provider's. */
interface RefusedMessage {
  id: string | null
  externalId: string | null
  plugin: number
  at: number
}

/** Remembers the recipients. What is older than the end of an opt-out does not begin it again. */
export function rememberOptOuts(refused: readonly RefusedMessage[]): Statement[] {
  const ours = refused.flatMap(({ id, plugin, at }) => (id === null ? [] : [{ id, rid: toRowNo(id), plugin, at }]))
  const others = refused.filter(({ id, externalId }) => id === null && externalId !== null)
  const insert = (rows: readonly object[], isTarget: SQL): Statement[] =>
    rows.length === 0
      ? []
      : [
          statement(
            sql`${insertInto(
              optOut,
              {
                team: sql`${message.team}`,
                phone: sql`${message.phone}`,
                since: sql`reported.value ->> '$.at'`,
                message: sql`${message.id}`,
              },
              sql`FROM json_each(${JSON.stringify(rows)}) reported CROSS JOIN ${message} ON ${isTarget}
                AND +${message.plugin} = reported.value ->> '$.plugin' AND +${message.phone} <> ''`,
            )} WHERE ${whereTeamPresent(sql`+${message.team}`)} ON CONFLICT DO UPDATE SET ${assignments(optOut, { since: sql`excluded.since`, message: sql`excluded.message`, endedAt: null })}
              WHERE ${columnName(optOut.endedAt)} < excluded.since`,
          ),
        ]
  return [
    ...insert(ours, sql`${message.rid} = reported.value ->> '$.rid' AND ${message.id} = reported.value ->> '$.id'`),
    ...insert(others, sql`${message.externalId} = reported.value ->> '$.externalId'`),
  ]
}
