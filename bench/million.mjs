// The cost of lists at a million processes: `node bench/million.mjs [--rows 1000000] [--keep folder]`. It fails where a
// query reads far more rows than it may: small excesses come by chance, as the values of the rows are random. The real
// compiler runs in a Worker next to a local D1; the figures are D1's own.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { Log, LogLevel, Miniflare } from 'miniflare'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, keep: { type: 'string' }, only: { type: 'string' } },
})
const rows = Number(values.rows)
const ROWS_PER_LOAD = 20_000
const AIM_TIMES_MAX = 2

const bundle = await build({
  entryPoints: [new URL('million-worker.ts', import.meta.url).pathname],
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2023',
  external: ['cloudflare:*', 'node:*'],
})
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'million-'))
const schema = readdirSync('drizzle')
  .filter(name => name.endsWith('.sql'))
  .sort()
  .map(name => readFileSync(join('drizzle', name), 'utf8'))
  .join('\n--> statement-breakpoint\n')
const miniflare = new Miniflare({
  modules: true,
  script: bundle.outputFiles[0].text,
  compatibilityDate: '2026-04-20',
  compatibilityFlags: ['nodejs_compat'],
  d1Databases: ['DB'],
  d1Persist: folder,
  bindings: { SCHEMA: schema },
  log: new Log(LogLevel.ERROR),
})

async function ask(path) {
  const response = await miniflare.dispatchFetch(`http://bench${path}`)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

try {
  const { stored } = await ask('/prepare')
  if (stored < rows) {
    for (let from = 0; from < rows; from += ROWS_PER_LOAD) {
      await ask(`/load?from=${from}&to=${Math.min(rows, from + ROWS_PER_LOAD)}`)
      if ((from / ROWS_PER_LOAD) % 10 === 9) console.error(`${from + ROWS_PER_LOAD} rows loaded`)
    }
    await ask('/index')
    console.error('indexed')
  }
  const shapes = await ask('/shapes')
  console.log(
    '| query | trips | rows read | ms | slowest statement, ms | found | aim, rows |\n|---|---:|---:|---:|---:|---:|---:|',
  )
  for (const { name } of shapes) {
    if (values.only !== undefined && !new RegExp(values.only).test(name)) continue
    const {
      trips,
      rowsRead,
      ms,
      slowest,
      found,
      aim,
      requests = 1,
    } = await ask(`/run?shape=${encodeURIComponent(name)}`)
    const isMissed = aim !== null && rowsRead > aim
    if (aim !== null && rowsRead > AIM_TIMES_MAX * aim) process.exitCode = 1
    const verdict = isMissed ? `${aim} (missed)` : (aim ?? '')
    console.log(
      `| ${name}${requests > 1 ? ` (${requests} requests)` : ''} | ${trips} | ${rowsRead} | ${ms.toFixed(1)} | ${slowest.toFixed(1)} | ${found} | ${verdict} |`,
    )
  }
} finally {
  await miniflare.dispose()
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true })
}
