import { type Result, type TextStatement, textStatement } from '../../db/text-statement.ts'
import type { Scope } from '../../scope.ts'
import type { PluginRow } from '../operations.ts'
import type { Template } from './model.ts'

/** Well below the 2 MB that one parameter may have. */
const PARAMETER_LENGTH_MAX = 500_000

const COLUMNS = `t.id, t.external_id AS externalId, t.name, t.language, t.category, t.status, t.status_reason AS statusReason,
  t.parameter_format AS parameterFormat, json(t.components) AS components, t.updated_at AS updatedAt`

const readRow = (row: Record<string, unknown>): Template =>
  ({ ...row, components: JSON.parse(row.components as string) }) as Template

/** Every statement here is bound to the team by the plugin's number, which was looked up by team. */
export async function listTemplateRows(scope: Scope, { no }: PluginRow): Promise<Template[]> {
  const [found] = await scope.db.batch([
    textStatement(`SELECT ${COLUMNS} FROM template t WHERE t.plugin = ?1 ORDER BY t.name, t.language`, no),
  ])
  return (found?.rows ?? []).map(readRow)
}

/** A template in each of its languages; by the plugin's id, so that both can be looked up at once. */
export const selectTemplates = (scope: Scope, pluginId: string, name: string): TextStatement =>
  textStatement(
    `SELECT ${COLUMNS} FROM template t WHERE t.plugin = (SELECT no FROM plugin WHERE id = ?1 AND team = ?2) AND t.name = ?3
      ORDER BY t.language`,
    pluginId.toLowerCase(),
    scope.team.no,
    name,
  )

export async function findTemplates(scope: Scope, pluginId: string, name: string): Promise<Template[]> {
  const [found] = await scope.db.batch([selectTemplates(scope, pluginId, name)])
  return readTemplates(found)
}

export const readTemplates = (result: Result | undefined): Template[] => (result?.rows ?? []).map(readRow)

export async function listTemplateNames(scope: Scope, { no }: PluginRow): Promise<string[]> {
  const [found] = await scope.db.batch([textStatement('SELECT DISTINCT name FROM template WHERE plugin = ?1', no)])
  return (found?.rows ?? []).map(row => String(row.name))
}

export type Listed = Omit<Template, 'updatedAt'>

/** The listing takes the place of what was known; a template that was known keeps its id. */
export const replaceTemplates = (scope: Scope, { no }: PluginRow, listed: Listed[]): TextStatement[] => [
  ...partsOf(listed).map(part =>
    textStatement(
      `INSERT INTO template (plugin, id, external_id, name, language, category, status, status_reason, parameter_format,
          components, synced_at, updated_at)
        SELECT ?2, value ->> '$.id', value ->> '$.externalId', value ->> '$.name', value ->> '$.language',
          value ->> '$.category', value ->> '$.status', value ->> '$.statusReason', value ->> '$.parameterFormat',
          jsonb(value -> '$.components'), ?3, ?3 FROM json_each(?1) WHERE true
        ON CONFLICT (plugin, name, language) DO UPDATE SET external_id = excluded.external_id, category = excluded.category,
          status = excluded.status, status_reason = excluded.status_reason, parameter_format = excluded.parameter_format,
          components = excluded.components, synced_at = excluded.synced_at, updated_at = excluded.updated_at`,
      part,
      no,
      scope.now,
    ),
  ),
  textStatement('DELETE FROM template WHERE plugin = ?1 AND synced_at < ?2', no, scope.now),
]

function partsOf(listed: Listed[]): string[] {
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

/** Those of an account that the plugin no longer stands for. */
export const removeTemplates = ({ no }: Pick<PluginRow, 'no'>): TextStatement =>
  textStatement('DELETE FROM template WHERE plugin = ?1', no)

/** A template's status as the provider tells it between two listings. */
export const saveTemplateStatus = (
  { no }: Pick<PluginRow, 'no'>,
  { name, language, status, reason, now }: TemplateStatusUpdate,
): TextStatement =>
  textStatement(
    'UPDATE template SET status = ?4, status_reason = ?5, updated_at = ?6 WHERE plugin = ?1 AND name = ?2 AND language = ?3',
    no,
    name,
    language,
    status,
    reason,
    now,
  )

export interface TemplateStatusUpdate {
  name: string
  language: string
  status: string
  reason: string | null
  now: number
}
