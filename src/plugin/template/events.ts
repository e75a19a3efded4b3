import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Statement } from '../../db/statement.ts'
import { toTeamNo } from '../../db/team-numbers.ts'
import { insertForFeeds } from '../../event/feed-rows.ts'
import { declareEvents, toWholeReferent } from '../../event/noun-events.ts'
import type { StoredEvent } from '../../event/stored-event.ts'
import { Id } from '../../http/shapes.ts'
import type { Authorship } from '../events.ts'
import { TemplateView } from '../schema.ts'
import { template } from '../table.ts'
import { viewTemplate } from '../view.ts'
import { selectPluginIds, selectTemplatesByIds, toTemplate } from './statements.ts'

const TemplateEventData = z
  .object({
    id: Id.describe('The id of the template.'),
    template: TemplateView.nullable().describe('The template as it is when the event is read; null if it is gone.'),
    plugin: Id.nullable().describe('The id of its plugin, also if that was deleted; null once it is gone.'),
    name: z.string().describe('The name of the template.'),
    language: z.string().describe('Its language.'),
    from: z.string().nullable().describe('Its status before; null if it is new.'),
    to: z
      .string()
      .nullable()
      .describe('Its status after; null if it is gone. The same as `from` if its text or category changed.'),
  })
  .describe('The template, and what its status was before and after.')

/** The details of an event of a template, by its id. `from` and `to` are statuses; null if there was or is none. */
interface TemplateEventDetails {
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

const readMember = (member: string): SQL => sql`reported.value ->> ${sql.raw(`'$.${member}'`)}`

/** Inserts events before a part of the provider's list replaces the stored one, for templates that are new in it, or differ. */
export function insertListedTemplateEvents(
  { no, team }: { no: number; team: number },
  part: string,
  { by, at }: Authorship,
): Statement {
  const isNewer = sql`${template.updatedAt} > ${at}`
  const isOther = sql`(NOT ${isNewer} AND (${status} <> ${readMember('status')} OR ${template.statusReason} IS NOT ${readMember('statusReason')}))
    OR ${template.category} <> ${readMember('category')} OR ${template.externalId} <> ${readMember('externalId')}
    OR ${template.parameterFormat} <> ${readMember('parameterFormat')}
    OR ${template.components} <> jsonb(reported.value -> '$.components')`
  const after = buildDetails({
    // The cast makes an integer, because D1 binds a number as REAL.
    plugin: sql`CAST(${no} AS INTEGER)`,
    name: readMember('name'),
    language: readMember('language'),
    from: status.getSQL(),
    to: sql`iif(${isNewer}, ${status}, ${readMember('status')})`,
  })
  return insertForFeeds(
    { type, at, by: sql`${by}`, key: sql`coalesce(${id}, ${readMember('id')})`, after },
    join => sql`FROM (SELECT 1) ${join(sql`${team}`)} CROSS JOIN json_each(${part}) reported
      LEFT JOIN ${template} ON ${plugin} = ${no} AND ${name} = ${readMember('name')} AND ${language} = ${readMember('language')}
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

const getDetails = (event: StoredEvent) => event.after as TemplateEventDetails

/** Converts events of templates: the template as it is when the event is read, and its status before and after. */
export const templateEvents = declareEvents({
  data: { 'template.changed': TemplateEventData },
  async show({ db, team }, events) {
    const plugins = [...new Set(events.map(each => getDetails(each).plugin))]
    const [templates, owners] = await db.read(
      selectTemplatesByIds(
        { team },
        plugins,
        events.map(({ key }) => key),
      ),
      selectPluginIds({ team }, plugins),
    )
    const shown = new Map(templates.map(row => [row.id, viewTemplate(toTemplate(row))]))
    const idByNo = new Map(owners.map(({ no, id }) => [no, id]))
    return new Map(
      events.map(event => {
        const { plugin, name, language, from, to } = getDetails(event)
        const data = { id: event.key, template: shown.get(event.key) ?? null, plugin: idByNo.get(plugin) ?? null }
        return [event.sequence, toWholeReferent({ ...data, name, language, from, to })] as const
      }),
    )
  },
})
