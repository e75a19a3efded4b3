import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { assignments, insertInto, type Statement, select, statement } from '../db/statement.ts'
import { guardNumberLeft, selectNextNumber } from '../db/team-numbers.ts'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { plugin } from './table.ts'

export type PluginRow = typeof plugin.$inferSelect

const whereTeam = (scope: Pick<Scope, 'team'>): SQL =>
  sql`${plugin.team} = ${scope.team.no} AND ${plugin.deletedAt} IS NULL`

const COLUMNS = getTableColumns(plugin)

/** Selects the team's plugins with one of these ids. */
export const selectPlugins = (scope: Scope, ids: readonly string[]): Statement<PluginRow> =>
  select(
    COLUMNS,
    sql`FROM ${plugin} WHERE ${plugin.id} IN (SELECT value FROM json_each(${JSON.stringify(ids.map(id => id.toLowerCase()))}))
      AND ${whereTeam(scope)}`,
  )

export const selectPluginRows = (scope: Pick<Scope, 'team'>, which: SQL): Statement<PluginRow> =>
  select(COLUMNS, sql`FROM ${plugin} WHERE ${which} AND ${whereTeam(scope)}`)

export const selectAllPlugins = (scope: Scope): Statement<PluginRow> =>
  select(COLUMNS, sql`FROM ${plugin} INDEXED BY plugin_team WHERE ${whereTeam(scope)} ORDER BY ${plugin.no}`)

/** Selects the plugin of a report. The address names the team, and the signature under the plugin's secret proves the report. */
export const selectReportingPlugin = (team: number, id: string): Statement<PluginRow> =>
  select(
    COLUMNS,
    sql`FROM ${plugin} WHERE ${plugin.id} = ${UUID.test(id) ? id.toLowerCase() : ''}
    AND +${plugin.team} = ${team} AND ${plugin.deletedAt} IS NULL`,
  )

export const guardPluginNumbers = (scope: Scope): Statement => guardNumberLeft(plugin, scope.team.no)

export const insertPlugin = (scope: Scope, { no: _, phoneNumbers, stoppedSenders, ...row }: PluginRow): Statement =>
  statement(
    insertInto(plugin, {
      ...row,
      no: selectNextNumber(plugin, scope.team.no),
      team: scope.team.no,
      phoneNumbers: JSON.stringify(phoneNumbers),
      stoppedSenders: JSON.stringify(stoppedSenders),
    }),
  )

/** Updates a plugin. `guardPluginVersion` before it keeps it from undoing somebody else's change. */
export const updatePluginRow = ({
  no,
  id: _id,
  team: _team,
  phoneNumbers,
  stoppedSenders,
  ...row
}: PluginRow): Statement =>
  statement(
    sql`UPDATE ${plugin} SET ${assignments(plugin, {
      ...row,
      phoneNumbers: JSON.stringify(phoneNumbers),
      stoppedSenders: JSON.stringify(stoppedSenders),
    })} WHERE ${plugin.no} = ${no}`,
  )

/** Removes a plugin. The row stays, because messages name it; its secrets go. */
export const removePlugin = ({ no }: PluginRow, now: number): Statement =>
  statement(
    sql`UPDATE ${plugin} SET ${assignments(plugin, { deletedAt: now, accessToken: '', appSecret: '', verifyToken: '' })}
      WHERE ${plugin.no} = ${no}`,
  )
