import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../db/statement.ts'
import { toTeamNo } from '../../db/team-numbers.ts'
import { insertForFeeds } from '../../event/feed-rows.ts'
import type { Authorship } from '../events.ts'
import { template } from '../table.ts'

/** The details of an event of a template, by its id. `from` and `to` are statuses; null if there was or is none. */
export interface TemplateEventDetails {
  plugin: number
  name: string
  language: string
  from: string | null
  to: string | null
}

interface ChangedTemplate {
  plugin: SQL
  name: SQL
  language: SQL
  from: SQL
  to: SQL
}

const buildDetails = ({ plugin, name, language, from, to }: ChangedTemplate): SQL =>
  sql`json_object('plugin', ${plugin}, 'name', ${name}, 'language', ${language}, 'from', ${from}, 'to', ${to})`

const type = 'template.changed' as const
const { id, plugin, name, language, status } = template
const KNOWN = { plugin: plugin.getSQL(), name: name.getSQL(), language: language.getSQL(), from: status.getSQL() }

const told = (member: string): SQL => sql`told.value ->> ${sql.raw(`'$.${member}'`)}`

/** Inserts events before a part of the provider's list replaces the stored one, for templates that are new in it, or differ. */
export function insertListedTemplateEvents(
  { no, team }: { no: number; team: number },
  part: string,
  { by, at }: Authorship,
): Statement {
  const isNewer = sql`${template.updatedAt} > ${at}`
  const isOther = sql`(NOT ${isNewer} AND (${status} <> ${told('status')} OR ${template.statusReason} IS NOT ${told('statusReason')}))
    OR ${template.category} <> ${told('category')} OR ${template.externalId} <> ${told('externalId')}
    OR ${template.parameterFormat} <> ${told('parameterFormat')}
    OR ${template.components} <> jsonb(told.value -> '$.components')`
  const after = buildDetails({
    // The cast makes an integer, because D1 binds a number as REAL.
    plugin: sql`CAST(${no} AS INTEGER)`,
    name: told('name'),
    language: told('language'),
    from: status.getSQL(),
    to: sql`iif(${isNewer}, ${status}, ${told('status')})`,
  })
  return insertForFeeds(
    { type, at, by: sql`${by}`, key: sql`coalesce(${id}, ${told('id')})`, after },
    join => sql`FROM (SELECT 1) ${join(sql`${team}`)} CROSS JOIN json_each(${part}) told
      LEFT JOIN ${template} ON ${plugin} = ${no} AND ${name} = ${told('name')} AND ${language} = ${told('language')}
      WHERE ${id} IS NULL OR ${isOther}`,
  )
}

/** Inserts events before templates are removed. */
export const insertRemovedTemplateEvents = (team: number, which: SQL, { by, at }: Authorship): Statement =>
  insertForFeeds(
    { type, at, by: sql`${by}`, key: id.getSQL(), after: buildDetails({ ...KNOWN, to: sql`NULL` }) },
    join => sql`FROM (SELECT 1) ${join(sql`${team}`)} CROSS JOIN ${template} WHERE ${which}`,
  )

/** Inserts events before reported statuses are stored. `changed` has them as rows, `which` matches the templates that they change. */
export const insertTemplateStatusEvents = (no: number, changed: SQL, which: SQL): Statement =>
  insertForFeeds(
    { type, at: Date.now(), key: id.getSQL(), after: buildDetails({ ...KNOWN, to: sql`changed.status` }) },
    join => sql`FROM (SELECT 1) ${join(sql`${toTeamNo(no)}`)} CROSS JOIN (${changed}) changed CROSS JOIN ${template}
      WHERE ${which} AND (${status} <> changed.status OR ${template.statusReason} IS NOT changed.reason)`,
  )
