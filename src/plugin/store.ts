import { and, asc, eq, inArray, isNull } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { Built, Result } from '../db/text-statement.ts'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { plugin } from './table.ts'

export type PluginRow = typeof plugin.$inferSelect

const ofTeam = (scope: Scope) => and(eq(plugin.team, scope.team.no), isNull(plugin.deletedAt))

export async function findPlugin(scope: Scope, id: string): Promise<PluginRow | undefined> {
  if (!UUID.test(id)) return undefined
  const [row] = await scope.db.orm
    .select()
    .from(plugin)
    .where(and(eq(plugin.id, id.toLowerCase()), ofTeam(scope)))
  return row
}

/** For a batch: its rows are as the database names them. */
export const selectPlugins = (scope: Scope, ids: readonly string[]): Built =>
  scope.db.orm
    .select()
    .from(plugin)
    .where(
      and(
        inArray(
          plugin.id,
          ids.map(id => id.toLowerCase()),
        ),
        ofTeam(scope),
      ),
    )

export const readPlugins = (result: Result | undefined): PluginRow[] =>
  (result?.rows ?? []).map(row => {
    const named = Object.entries(row).map(([name, value]) => [
      name.replace(/_(.)/g, (_, next) => next.toUpperCase()),
      value,
    ])
    return { ...Object.fromEntries(named), phoneNumbers: JSON.parse(String(row.phone_numbers)) } as PluginRow
  })

/** Whose webhook it is. Not bound to a team: the signature under the plugin's own secret is what proves it. */
export async function findPluginOfWebhook(db: Db, id: string): Promise<PluginRow | undefined> {
  if (!UUID.test(id)) return undefined
  const [row] = await db.orm
    .select()
    .from(plugin)
    .where(and(eq(plugin.id, id.toLowerCase()), isNull(plugin.deletedAt)))
  return row
}

export const listPluginRows = (scope: Scope): Promise<PluginRow[]> =>
  scope.db.orm.select().from(plugin).where(ofTeam(scope)).orderBy(asc(plugin.no))

export const insertPlugin = (scope: Scope, { no: _, ...row }: PluginRow) =>
  scope.db.orm.insert(plugin).values({ ...row, team: scope.team.no })

export type PluginChange = Partial<
  Omit<PluginRow, 'no' | 'id' | 'team' | 'version' | 'createdAt' | 'updatedAt' | 'deletedAt'>
>

/** Only as long as nobody else has changed it: `changes` says whether. */
export const updatePluginRow = (scope: Scope, { no, version }: PluginRow, change: PluginChange) =>
  scope.db.orm
    .update(plugin)
    .set({ ...change, version: version + 1, updatedAt: scope.now })
    .where(and(eq(plugin.no, no), eq(plugin.version, version), ofTeam(scope)))

/** The row stays, because messages name it; its secrets go. */
export const removePlugin = (scope: Scope, { no }: PluginRow) =>
  scope.db.orm
    .update(plugin)
    .set({ deletedAt: scope.now, accessToken: '', appSecret: '', verifyToken: '' })
    .where(and(eq(plugin.no, no), ofTeam(scope)))
