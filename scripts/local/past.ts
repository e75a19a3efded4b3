import { readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { STATE } from '../wrangler.ts'

/** Of `wrangler.toml`. To load wrangler for this takes longer than all the past. */
function configured(name: string): string {
  const [, value] = new RegExp(`^${name} = "(.*)"`, 'm').exec(readFileSync('wrangler.toml', 'utf8')) ?? []
  if (value === undefined) throw new Error(`wrangler.toml has no ${name}`)
  return value
}

/** Makes a team with a past in the local database, while no Worker runs on it: the token of its first admin. */
export async function makePast(shortId: string): Promise<string> {
  const bundled = await build({
    entryPoints: ['scripts/demo/worker.ts'],
    ...{ bundle: true, write: false, format: 'esm', target: 'es2024', external: ['cloudflare:*', 'node:*'] },
  })
  const miniflare = new Miniflare({
    modules: true,
    script: bundled.outputFiles[0]?.text ?? '',
    compatibilityDate: configured('compatibility_date'),
    d1Databases: { DB: configured('database_id') },
    d1Persist: path.join(STATE, 'v3/d1'),
  })
  try {
    const body = JSON.stringify({ shortId, now: Date.now() })
    const response = await miniflare.dispatchFetch('http://demo.local/', { method: 'POST', body })
    if (!response.ok) throw new Error(await response.text())
    return ((await response.json()) as { token: string }).token
  } finally {
    await miniflare.dispose()
  }
}
