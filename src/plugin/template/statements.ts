import { type SQL, sql } from 'drizzle-orm'
import { ridList } from '../../db/document/values-by-row.ts'
import { assignments, insertInto, type Statement, select, statement } from '../../db/statement.ts'
import type { Scope } from '../../scope.ts'
import type { Authorship } from '../events.ts'
import { plugin, template } from '../table.ts'
import { insertListedTemplateEvents, insertRemovedTemplateEvents, insertTemplateStatusEvents } from './events.ts'
import type { Template } from './model.ts'

/** The length of one parameter, well below its 2 MB. */
const PARAMETER_LENGTH_MAX = 500_000

const COLUMNS = {
  id: template.id,
  externalId: template.externalId,
  name: template.name,
  language: template.language,
  category: template.category,
  status: template.status,
  statusReason: template.statusReason,
  parameterFormat: template.parameterFormat,
  components: sql<string>`json(${template.components})`,
  updatedAt: template.updatedAt,
}

/** A template as it is read, with its components still as JSON. */
type TemplateRow = Omit<Template, 'components'> & { components: string }

export const toTemplate = ({ components, ...row }: TemplateRow): Template => ({
  ...row,
  components: JSON.parse(components) as Template['components'],
})

/** Selects a plugin's number by its id, so that a plugin and its templates can be read in one round trip. */
const pluginById = (scope: Scope, id: string): SQL =>
  sql`(SELECT ${plugin.no} FROM ${plugin} WHERE ${plugin.id} = ${id.toLowerCase()} AND ${plugin.team} = ${scope.team.no})`

export const selectAllTemplates = (scope: Scope, pluginId: string): Statement<TemplateRow> =>
  select(
    COLUMNS,
    sql`FROM ${template} WHERE ${template.plugin} = ${pluginById(scope, pluginId)} ORDER BY ${template.name}, ${template.language}`,
  )

/** Selects the templates of some plugins, by their numbers, with one of these ids. */
export const selectTemplatesByIds = (
  { team }: Pick<Scope, 'team'>,
  plugins: readonly number[],
  ids: readonly string[],
): Statement<TemplateRow> =>
  select(
    COLUMNS,
    sql`FROM ${template} WHERE ${template.plugin} IN ${ridList(plugins)} AND ${template.team} = ${team.no}
      AND ${template.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  )

/** Selects the ids of plugins. The row of a removed one is still there. */
export const selectPluginIds = ({ team }: Pick<Scope, 'team'>, numbers: readonly number[]) =>
  select(
    { no: plugin.no, id: plugin.id },
    sql`FROM ${plugin} WHERE ${plugin.no} IN ${ridList(numbers)} AND ${plugin.team} = ${team.no}`,
  )

/** A template's name, and the id of its plugin. */
interface TemplateName {
  plugin: string
  name: string
}

/** Selects the templates with these names, each in all of its languages. */
export const selectTemplates = (
  scope: Scope,
  names: readonly TemplateName[],
): Statement<TemplateRow & { pluginId: string }> =>
  select(
    { ...COLUMNS, pluginId: plugin.id },
    sql`FROM json_each(${JSON.stringify(names.map(each => ({ ...each, plugin: each.plugin.toLowerCase() })))}) wanted
      CROSS JOIN ${plugin} ON ${plugin.id} = wanted.value ->> '$.plugin' AND ${plugin.team} = ${scope.team.no}
      CROSS JOIN ${template} ON ${template.plugin} = ${plugin.no} AND ${template.name} = wanted.value ->> '$.name'
      ORDER BY ${template.language}`,
  )

export const selectTemplateNames = (scope: Scope, pluginId: string): Statement<{ name: string }> =>
  statement(
    sql`SELECT DISTINCT ${template.name} AS name FROM ${template} WHERE ${template.plugin} = ${pluginById(scope, pluginId)}`,
  )

export type ListedTemplate = Omit<Template, 'updatedAt'>

interface PluginKey {
  no: number
  team: number
}

const excluded = (name: string) => sql`excluded.${sql.identifier(name)}`

/**
 * Replaces the stored templates by the provider's list as it was at a time. A template that was known keeps its id, and a
 * status that was reported later.
 */
export const replaceTemplates = (
  { no, team }: PluginKey,
  listed: ListedTemplate[],
  { at, by }: Authorship,
): Statement[] => [
  ...splitParts(listed).flatMap(part => {
    const member = (name: string) => sql`value ->> ${sql.raw(`'$.${name}'`)}`
    const inserted = insertInto(
      template,
      {
        team,
        plugin: no,
        id: member('id'),
        externalId: member('externalId'),
        name: member('name'),
        language: member('language'),
        category: member('category'),
        status: member('status'),
        statusReason: member('statusReason'),
        parameterFormat: member('parameterFormat'),
        components: sql`jsonb(value -> '$.components')`,
        syncedAt: at,
        updatedAt: at,
      },
      sql`FROM json_each(${part}) WHERE true`,
    )
    const isNewer = sql`${template.updatedAt} > ${excluded('updated_at')}`
    const upsert = statement(
      sql`${inserted} ON CONFLICT DO UPDATE SET ${assignments(template, {
        externalId: excluded('external_id'),
        category: excluded('category'),
        status: sql`iif(${isNewer}, ${template.status}, ${excluded('status')})`,
        statusReason: sql`iif(${isNewer}, ${template.statusReason}, ${excluded('status_reason')})`,
        parameterFormat: excluded('parameter_format'),
        components: excluded('components'),
        syncedAt: excluded('synced_at'),
        updatedAt: sql`max(${template.updatedAt}, ${excluded('updated_at')})`,
      })}`,
    )
    return [insertListedTemplateEvents({ no, team }, part, { at, by }), upsert]
  }),
  ...remove({ no, team }, sql`${template.plugin} = ${no} AND ${template.syncedAt} < ${at}`, { at, by }),
]

const remove = ({ team }: PluginKey, which: SQL, author: Authorship): Statement[] => [
  insertRemovedTemplateEvents(team, which, author),
  statement(sql`DELETE FROM ${template} WHERE ${which}`),
]

function splitParts(listed: ListedTemplate[]): string[] {
  const parts: string[][] = [[]]
  let length = 0
  for (const text of listed.map(each => JSON.stringify(each))) {
    if (length + text.length > PARAMETER_LENGTH_MAX) {
      parts.push([])
      length = 0
    }
    parts.at(-1)?.push(text)
    length += text.length
  }
  return parts.map(part => `[${part.join(',')}]`)
}

/** Removes the templates of an account that the plugin no longer connects. */
export const removeTemplates = ({ no, team }: PluginKey, author: Authorship): Statement[] =>
  remove({ no, team }, sql`${template.plugin} = ${no}`, author)

/** A template's status as the provider reports it between two listings, by its name or by our id. */
export interface TemplateStatusUpdate {
  template: { name: string; language: string } | { id: string }
  status: string
  reason: string | null
  at: number
}

/** Saves reported statuses. One that is older than the stored one is ignored, and the last update of a template counts. */
export function saveTemplateStatuses(
  { no }: Pick<PluginKey, 'no'>,
  updates: readonly TemplateStatusUpdate[],
): Statement[] {
  const last = new Map(updates.map(({ template: key, ...rest }) => [JSON.stringify(key), { ...key, ...rest }]))
  const changed = sql`SELECT value ->> '$.id' AS id, value ->> '$.name' AS name, value ->> '$.language' AS language,
    value ->> '$.status' AS status, value ->> '$.reason' AS reason, value ->> '$.at' AS at
    FROM json_each(${JSON.stringify([...last.values()])})`
  const which = sql`${template.plugin} = ${no} AND ${template.updatedAt} <= changed.at
    AND (${template.id} = changed.id
      OR (changed.id IS NULL AND ${template.name} = changed.name AND ${template.language} = changed.language))`
  return [
    insertTemplateStatusEvents(no, changed, which),
    statement(
      sql`UPDATE ${template} SET ${assignments(template, {
        status: sql`changed.status`,
        statusReason: sql`changed.reason`,
        updatedAt: sql`changed.at`,
      })} FROM (${changed}) changed WHERE ${which}`,
    ),
  ]
}
