import { type SQL, sql } from 'drizzle-orm'
import { assignments, insertInto, type Statement, statement } from '../../db/statement.ts'
import type { Authorship } from '../events.ts'
import { template } from '../table.ts'
import { insertListedTemplateEvents, insertRemovedTemplateEvents, insertTemplateStatusEvents } from './events.ts'
import type { Template } from './model.ts'

/** The length of one parameter, well below its 2 MB. */
const PARAMETER_LENGTH_MAX = 500_000

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
