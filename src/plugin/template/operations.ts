import type { Scope } from '../../scope.ts'
import { getPlugin } from '../operations.ts'
import type { Template } from './model.ts'
import { selectAllTemplates, selectTemplateNames, selectTemplates, toTemplate } from './statements.ts'

export async function listTemplates(scope: Scope, pluginId: string): Promise<Template[]> {
  const { id } = await getPlugin(scope, pluginId)
  const [rows] = await scope.db.read(selectAllTemplates(scope, id))
  return rows.map(toTemplate)
}

/** Finds a template in each of its languages. */
export async function findTemplates(scope: Scope, pluginId: string, name: string): Promise<Template[]> {
  const [rows] = await scope.db.read(selectTemplates(scope, [{ plugin: pluginId, name }]))
  return rows.map(({ pluginId: _, ...row }) => toTemplate(row))
}

export async function listTemplateNames(scope: Scope, pluginId: string): Promise<string[]> {
  const [rows] = await scope.db.read(selectTemplateNames(scope, pluginId))
  return rows.map(({ name }) => name)
}
