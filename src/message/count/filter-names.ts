import { type SQL, sql } from 'drizzle-orm'
import { select } from '../../db/statement.ts'
import { type Fault, invalid } from '../../errors.ts'
import { UUID } from '../../ids.ts'
import { plugin, template } from '../../plugin/table.ts'
import type { Scope } from '../../scope.ts'
import { createHint } from '../../suggest.ts'
import type { MessageFilter } from './scan.ts'

/** A template by its id or its name, a plugin by its id. */
export interface MessageFilterByName extends Omit<MessageFilter, 'templates'> {
  template?: string | undefined
}

/** The suggestion is the nearest of so many names. */
const NAMES_MAX = 1_000

/** The filter with the ids that its names stand for. A name or an id that the team does not have is refused. */
export async function resolveNames<Query extends MessageFilterByName>(
  scope: Scope,
  { template: reference, ...query }: Query,
): Promise<Omit<Query, 'template'> & MessageFilter> {
  const faults: Fault[] = query.plugin === undefined ? [] : await findPluginFaults(scope, query.plugin)
  if (reference === undefined || UUID.test(reference)) {
    if (faults.length > 0) throw invalid(faults)
    return { ...query, templates: reference === undefined ? undefined : [reference.toLowerCase()] }
  }
  const [found] = await scope.db.read(
    selectTemplatesOfTeam(scope, { id: template.id }, sql`AND ${template.name} = ${reference}`),
  )
  if (found.length === 0) faults.push(await findTemplateFault(scope, reference))
  if (faults.length > 0) throw invalid(faults)
  return { ...query, templates: found.map(({ id }) => id) }
}

/** A plugin that was removed stays a row, and has its messages. */
async function findPluginFaults({ db, team }: Scope, id: string): Promise<Fault[]> {
  const [found] = await db.read(
    select({ no: plugin.no }, sql`FROM ${plugin} WHERE ${plugin.id} = ${id} AND ${plugin.team} = ${team.no}`),
  )
  return found.length > 0 ? [] : [{ message: `no plugin ${JSON.stringify(id)}`, path: '/query/plugin' }]
}

const selectTemplatesOfTeam = <Columns extends Parameters<typeof select>[0]>(
  { team }: Pick<Scope, 'team'>,
  columns: Columns,
  rest: SQL,
) =>
  select(
    columns,
    sql`FROM ${plugin} INDEXED BY plugin_team CROSS JOIN ${template} ON ${template.plugin} = ${plugin.no}
      WHERE ${plugin.team} = ${team.no} AND ${plugin.deletedAt} IS NULL ${rest}`,
  )

async function findTemplateFault(scope: Scope, name: string): Promise<Fault> {
  const [rows] = await scope.db.read(
    selectTemplatesOfTeam(scope, { name: template.name }, sql`GROUP BY ${template.name} LIMIT ${NAMES_MAX}`),
  )
  const names = rows.map(row => String(row.name))
  return { message: `no template ${JSON.stringify(name)}`, path: '/query/template', ...createHint(name, names) }
}

/**
 * Refuses a template's id by which nothing was found, if there is no such template. Messages outlive their template, so only
 * then is it certain that the id is wrong, or that no message of it is asked for.
 */
export async function requireTemplate(scope: Scope, { templates }: MessageFilter): Promise<void> {
  if (templates === undefined) return
  const isOneOf = sql`${template.id} IN (SELECT value FROM json_each(${JSON.stringify(templates)}))`
  const [found] = await scope.db.read(selectTemplatesOfTeam(scope, { id: template.id }, sql`AND ${isOneOf} LIMIT 1`))
  if (found.length > 0) return
  const message = `no template ${templates.join(', ')}, and no message of one with this id in this time`
  throw invalid([{ message, path: '/query/template' }])
}
