import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { bundleWorker } from './bundle.ts'
import { databaseWorker, openLocalDatabase } from './database.ts'
import { applyMigrations } from './migrate.ts'
import { DATA_FOLDER, readPlace } from './place.ts'

/** The folder in which wrangler keeps local data, too: `npm run team` finds the database there. */
export const PERSIST_ROOT = path.join(readPlace().state, DATA_FOLDER)

/** A value of `wrangler.toml`. Loading wrangler for this would take longer than applying all migrations. */
export function readConfigured(name: string): string {
  const [, value] = new RegExp(`^${name} = "(.*)"`, 'm').exec(readFileSync('wrangler.toml', 'utf8')) ?? []
  if (value === undefined) throw new Error(`wrangler.toml has no ${name}`)
  return value
}

export const RUNTIME_OPTIONS = { log: new Log(LogLevel.ERROR), cf: false, logRequests: false } as const

/**
 * Migrates the local database while no Worker of the product runs on it. Where `shortId` is given it makes a team with a past there, too:
 * the token of its first admin.
 */
export async function prepareDatabase(shortId: string | undefined): Promise<string | undefined> {
  const d1Databases = { DB: readConfigured('database_id') }
  const maker = {
    name: 'demo',
    modules: true,
    script: shortId === undefined ? '' : await bundleWorker('scripts/demo/worker.ts'),
    compatibilityDate: readConfigured('compatibility_date'),
    d1Databases,
  }
  const miniflare = new Miniflare({
    ...RUNTIME_OPTIONS,
    workers: [...(shortId === undefined ? [] : [maker]), databaseWorker(d1Databases)],
    defaultPersistRoot: PERSIST_ROOT,
  })
  try {
    const count = await applyMigrations(await openLocalDatabase(miniflare, 'DB'))
    if (count > 0) console.log(`Applied ${count} migrations`)
    return shortId === undefined ? undefined : await makePast(miniflare, shortId)
  } finally {
    await miniflare.dispose()
  }
}

/** Creates the past of a procedure, for which the API has no way: there it is always now. */
async function makePast(miniflare: Miniflare, shortId: string): Promise<string> {
  console.log('Making the past of the demo team …')
  const body = JSON.stringify({ shortId, now: Date.now() })
  const response = await miniflare.dispatchFetch('http://demo.local/', { method: 'POST', body })
  if (!response.ok) throw new Error(await response.text())
  return ((await response.json()) as { token: string }).token
}
