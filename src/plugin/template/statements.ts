import { type SQL, sql } from 'drizzle-orm'
import { ridList } from '../../db/document/values-by-row.ts'
import { type Statement, select, statement } from '../../db/statement.ts'
import type { Scope } from '../../scope.ts'
import { plugin, template } from '../table.ts'
import type { Template } from './model.ts'

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
