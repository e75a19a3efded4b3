import { type SQL, sql } from 'drizzle-orm'
import { type Statement, select } from '../../db/statement.ts'
import { getFirstRid, RID_TAIL } from '../../ids.ts'
import { plugin } from '../../plugin/table.ts'
import type { Scope } from '../../scope.ts'
import { type DeliveryStatus, deliveryNumber } from '../rules.ts'
import { message } from '../table.ts'

// Messages of a team have no index of their own, because each one sent would pay for it: what asks for them in the order of
// time passes those of all teams, in bounded steps.

export interface MessageFilter {
  status?: DeliveryStatus | undefined
  /** An id. */
  plugin?: string | undefined
  /** Ids. */
  templates?: readonly string[] | undefined
  direction?: 'OUTBOUND' | 'INBOUND' | undefined
}

/** Which row numbers a step looks at, newest first. */
export interface ScanWindow {
  before: number
  from: number
  rows: number
}

const whereInWindow = ({ before, from }: ScanWindow): SQL =>
  sql`${message.rid} < ${before} AND ${message.rid} >= ${from}`

/** The lowest row number of a full window; none: it goes down to its end. */
export const selectWindowEnd = (window: ScanWindow): Statement<{ rid: number }> =>
  select(
    { rid: message.rid },
    sql`FROM ${message} WHERE ${whereInWindow(window)} ORDER BY ${message.rid} DESC LIMIT 1 OFFSET ${window.rows - 1}`,
  )

export const buildConditions = (scope: Scope, filter: MessageFilter): SQL =>
  sql.join([
    sql`+${message.team} = ${scope.team.no}`,
    ...(filter.status === undefined ? [] : [sql` AND +${message.delivery} = ${deliveryNumber(filter.status)}`]),
    ...(filter.plugin === undefined
      ? []
      : [
          sql` AND ${message.plugin} = (SELECT ${plugin.no} FROM ${plugin} WHERE ${plugin.id} = ${filter.plugin} AND ${plugin.team} = ${scope.team.no})`,
        ]),
    ...(filter.templates === undefined
      ? []
      : [sql` AND ${message.template} IN (SELECT value FROM json_each(${JSON.stringify(filter.templates)}))`]),
    ...(filter.direction === undefined
      ? []
      : [
          filter.direction === 'INBOUND'
            ? sql` AND ${message.received} IS NOT NULL`
            : sql` AND ${message.received} IS NULL`,
        ]),
  ])

/** The rows of a window that match: what follows SELECT … */
export const fromWindow = (scope: Scope, filter: MessageFilter, window: ScanWindow): SQL =>
  sql`FROM (SELECT ${message.rid} AS looked FROM ${message} WHERE ${whereInWindow(window)}
      ORDER BY ${message.rid} DESC LIMIT ${window.rows}) CROSS JOIN ${message} ON ${message.rid} = looked
    WHERE ${buildConditions(scope, filter)}`

/** Days of any time zone begin at one of these. */
export const QUARTER_HOUR_MS = 15 * 60_000

/**
 * How many match, by what they are grouped by and by quarters of an hour; and of all rows of the window, those of other
 * teams too, how many there are and the lowest. So each is looked at once.
 */
export const countWindow = (
  scope: Scope,
  filter: MessageFilter,
  window: ScanWindow,
  group: SQL<string | number | null>,
) => {
  const columns = [message.rid, message.team, message.plugin, message.template, message.delivery, message.received]
  const matches = buildConditions(scope, filter)
  return select(
    {
      // The row number has the time in it, less the first one there can be.
      quarter: sql<number>`${message.rid} / ${sql.raw(String(RID_TAIL * QUARTER_HOUR_MS))}`,
      group: sql<string | number | null>`iif(${matches}, ${group}, NULL)`,
      count: sql<number>`sum(iif(${matches}, 1, 0))`,
      rows: sql<number>`count(*)`,
      lowest: sql<number>`min(${message.rid})`,
    },
    sql`FROM (SELECT ${sql.join(columns, sql`, `)} FROM ${message} WHERE ${whereInWindow(window)}
      ORDER BY ${message.rid} DESC LIMIT ${window.rows}) AS ${message} GROUP BY 1, 2`,
  )
}

export const lowestRidAt = (ms: number): number => Math.max(0, getFirstRid(ms))
