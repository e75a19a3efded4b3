/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest'

const everything = Object.entries(
  import.meta.glob<string>('../src/**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }),
)
  .map(([path, text]) => ({ path: path.replace('../src/', ''), text }))
  .filter(({ path }) => !path.endsWith('.d.ts') && !path.includes('/dist/'))

/** The pages of the admin area run in the browser, on the API alone: they have rules of their own. */
const pages = everything.filter(({ path }) => path.startsWith('admin/'))
const sources = everything.filter(({ path }) => !path.startsWith('admin/'))

const FEATURES = [
  ...new Set(sources.flatMap(({ path }) => (path.includes('/') ? (path.split('/')[0] ?? []) : []))),
].filter(folder => folder !== 'http' && folder !== 'db')

interface Import {
  from: string
  /** A path below `src`, or the name of a package. */
  to: string
  typeOnly: boolean
}

const IMPORT = /^(?:import|export)\s+(type\s)?(?:[\w*{][^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm

function resolve(from: string, target: string): string {
  if (!target.startsWith('.')) return target
  const parts = from.split('/').slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

const imports: Import[] = sources.flatMap(({ path, text }) =>
  [...text.matchAll(IMPORT)].map(
    ([, type, target = '']): Import => ({
      from: path,
      to: resolve(path, target),
      typeOnly: type !== undefined,
    }),
  ),
)

const getName = (path: string) => path.split('/').at(-1) ?? ''
const getFolder = (path: string) => path.split('/').slice(0, -1).join('/')
const isIn = (folder: string) => (path: string) => path.startsWith(`${folder}/`)
const toText = ({ from, to }: Import) => `${from} imports ${to}`
const isPackage = (name: string) => (each: Import) => each.to === name || each.to.startsWith(`${name}/`)

/** Files that decide and nothing else: they can be read, tested and trusted without a database or a clock. */
const isPure = (path: string) =>
  /(^|-)rules\.ts$|^(values|model|permissions|roles|errors|status)\.ts$/.test(getName(path))

it('the tests of this file see the real source', () => {
  expect(sources.length).toBeGreaterThan(40)
  expect(imports.length).toBeGreaterThan(150)
  const known = new Set(sources.map(({ path }) => path))
  const lost = imports.filter(({ to }) => to.endsWith('.ts') && !known.has(to)).map(toText)
  expect(lost).toEqual([])
})

it('the code lets HTTP end at routes and middleware: nothing deeper knows hono', () => {
  const mayKnow = (path: string) =>
    path === 'app.ts' || path === 'index.ts' || isIn('http')(path) || /^(routes|middleware)\.ts$/.test(getName(path))
  const hono = [...imports.filter(isPackage('hono')), ...imports.filter(isPackage('@hono'))]
  expect(hono.length).toBeGreaterThan(5)
  expect(hono.filter(({ from }) => !mayKnow(from)).map(toText)).toEqual([])
})

/** Files that speak HTTP, decide, or show: SQL has no place in them. */
const isWithoutSql = (path: string) =>
  isPure(path) || /(^|-)(routes|schema|operations|view|docs|consumer|middleware)\.ts$/.test(getName(path))

it('the code keeps SQL out of routes, shapes, operations, rules and views', () => {
  const drizzle = imports.filter(isPackage('drizzle-orm'))
  expect(drizzle.length).toBeGreaterThan(5)
  expect(drizzle.filter(({ from }) => isWithoutSql(from)).map(toText)).toEqual([])
})

it('the code opens a store only to its own folder', () => {
  const stores = imports.filter(({ to }) => getName(to) === 'store.ts')
  expect(stores.length).toBeGreaterThan(5)
  expect(stores.filter(({ from, to }) => getFolder(from) !== getFolder(to)).map(toText)).toEqual([])
})

it('the code opens a table only to files that hold SQL', () => {
  const tables = imports.filter(({ to }) => getName(to) === 'table.ts')
  expect(tables.filter(({ from }) => isWithoutSql(from)).map(toText)).toEqual([])
})

it('the code lets one file alone run a transaction: whatever changes something goes through `write`', () => {
  const running = sources.filter(({ text }) => /\.transact\(/.test(text)).map(({ path }) => path)
  expect(running).toEqual(['db/write.ts'])
})

it('the code lets no statement reach the database binding but through the one client', () => {
  const direct = sources.filter(({ path, text }) => !isIn('db')(path) && /\.(prepare|batch|exec)\(\s*[`'"[]/.test(text))
  expect(direct.map(({ path }) => path)).toEqual([])
  const bound = sources.filter(({ text }) => /\b(env|bindings)\.DB\b|\{[^}]*\bDB\b[^}]*\} = /.test(text))
  expect(bound.map(({ path }) => path)).toEqual(['db/databases.ts'])
})

it('the code bounds each scan of the index of words, and ranks nothing in it', () => {
  const literals = sources.flatMap(({ path, text }) => {
    const matching = [...text.matchAll(/\bMATCH \$\{/g)]
    const ranking = /\bORDER BY rank\b|\bbm25\(/.test(text)
    return matching.length > 0 || ranking ? [{ path, matching: matching.length, ranking, text }] : []
  })
  expect(literals.map(({ path, matching, ranking }) => ({ path, matching, ranking }))).toEqual([
    { path: 'process/query/sql/search-page.ts', matching: 1, ranking: false },
  ])
  expect(literals[0]?.text).toMatch(/FROM process_search WHERE [^`]* ORDER BY rowid DESC LIMIT \$\{/)
})

it('the code numbers no placeholder by hand: the compiler of statements does', () => {
  const numbered = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/`[^`]*`|'[^'\n]*'/g)]
      .filter(([literal]) => /[=\s(,>]\?\d/.test(literal))
      .map(([literal]) => `${path}: ${literal}`),
  )
  expect(numbered.filter(each => !each.startsWith('db/'))).toEqual([])
})

it('the code keeps rules pure: no clock, no random, no network, no database', () => {
  const pure = sources.filter(({ path }) => isPure(path))
  expect(pure.length).toBeGreaterThan(6)
  const impure =
    /Date\.now|new Date\(\)|performance\.now|Math\.random|\bcrypto\b|\bfetch\(|setTimeout|\basync\b|\bawait\b/
  expect(pure.filter(({ text }) => impure.test(text)).map(({ path }) => path)).toEqual([])
  const reaching = imports.filter(
    ({ from, to, typeOnly }) =>
      isPure(from) &&
      !typeOnly &&
      (/^(store|operations|routes|consumer|counter|middleware|table|build)\.ts$/.test(getName(to)) ||
        ['db/client.ts', 'hono', 'cloudflare:workers'].includes(to)),
  )
  expect(reaching.map(toText)).toEqual([])
})

it('the code builds http and db on nothing above them', () => {
  const upward = imports.filter(
    ({ from, to }) =>
      (isIn('http')(from) && FEATURES.some(feature => isIn(feature)(to))) ||
      (isIn('db')(from) && (isIn('http')(to) || to === 'app.ts' || FEATURES.some(feature => isIn(feature)(to)))),
  )
  expect(upward.map(toText)).toEqual([])
})

it('the code lets other folders use the query language by a few files only, and in `process` only routes and bulk entries', () => {
  const query = isIn('process/query')
  const entering = imports.filter(({ from, to }) => query(to) && !query(from) && getName(to) !== 'docs.ts')
  const doors = ['aggregate/routes.ts', 'matches.ts', 'routes.ts', 'schema.ts'].map(door => `process/query/${door}`)
  expect([...new Set(entering.map(({ to }) => to))].sort()).toEqual(doors)
  const within = entering.filter(({ from }) => isIn('process')(from) && !/routes\.ts$|^process\/bulk/.test(from))
  expect(within.map(toText)).toEqual([])
})

it('the code lets nothing import routes or the app but the app, the index and the documentation', () => {
  const backward = imports.filter(
    ({ from, to }) =>
      (getName(to) === 'routes.ts' && from !== 'app.ts') ||
      (to === 'app.ts' && from !== 'index.ts' && from !== 'docs/documented-routes.ts') ||
      to === 'index.ts',
  )
  expect(backward.map(toText)).toEqual([])
})

it('the code keeps the client and the server apart: the client takes no package along, and the command line only the reader of files, the model, the suggestions, the words of refusals, and how JSON is found that says two things', () => {
  const leaving = imports.filter(
    ({ from, to }) => isIn('client')(from) && !isIn('client')(to) && !to.startsWith('node:'),
  )
  const outside = leaving.filter(({ from, to }) => !(isIn('client/command-line')(from) && isIn('import-file')(to)))
  expect(outside.map(toText)).toEqual([
    'client/command-line/bulk-failures.ts imports refusal-text.ts',
    'client/command-line/bulk-rows.ts imports doubled-members.ts',
    'client/command-line/bulk-rows.ts imports refusal-text.ts',
    'client/command-line/command/options.ts imports doubled-members.ts',
    'client/command-line/command/parse.ts imports suggest.ts',
    'client/command-line/job-plan.ts imports refusal-text.ts',
    'client/command-line/quote-sent.ts imports refusal-text.ts',
    'client/command-line/types.ts imports procedure/model.ts',
  ])
  expect(imports.filter(({ from, to }) => !isIn('client')(from) && isIn('client')(to)).map(toText)).toEqual([])
  const platform = imports.filter(({ from, to }) => to.startsWith('node:') && !isIn('client/command-line')(from))
  expect(platform.filter(({ from }) => isIn('client')(from)).map(toText)).toEqual([])
})

// A table means the same to the API as to the command line and the pages, which run where nothing else of the server does.
it('the code gives the reader of files only the model, the rules for values, the suggestions, the words of refusals, and how JSON is found that says two things', () => {
  const leaving = imports.filter(({ from, to }) => isIn('import-file')(from) && !isIn('import-file')(to))
  expect(leaving.map(toText)).toEqual([
    'import-file/cells.ts imports procedure/model.ts',
    'import-file/cells.ts imports procedure/values.ts',
    'import-file/columns.ts imports procedure/model.ts',
    'import-file/columns.ts imports refusal-text.ts',
    'import-file/columns.ts imports suggest.ts',
    'import-file/faults.ts imports procedure/model.ts',
    'import-file/faults.ts imports procedure/values.ts',
    'import-file/faults.ts imports refusal-text.ts',
    'import-file/faults.ts imports suggest.ts',
    'import-file/header.ts imports suggest.ts',
    'import-file/items.ts imports doubled-members.ts',
    'import-file/rows.ts imports refusal-text.ts',
  ])
})

it('the code makes a scope only where a team was proven', () => {
  const callers = sources.filter(({ text }) => /\bcreateTeamScope\(/.test(text)).map(({ path }) => path)
  // A job has the team that accepted it; the note of an erasure, that which asked for it.
  const provers = ['scope.ts', 'auth/middleware.ts', 'background-job/run/slice.ts', 'maintenance/replay-erasures.ts']
  const mayCall = (path: string) => provers.includes(path)
  expect(callers).toContain('auth/middleware.ts')
  expect(callers.filter(path => !mayCall(path))).toEqual([])
})

it('the code spells the envelope in one file', () => {
  const spelled = sources.filter(({ text }) => /\b_(data|meta|errors)\s*:/.test(text)).map(({ path }) => path)
  expect(spelled).toEqual(['http/response/envelope.ts'])
})

it('the code exports by name, and by default only the Worker', () => {
  const byDefault = sources.filter(({ text }) => /^export default/m.test(text)).map(({ path }) => path)
  expect(byDefault).toEqual(['index.ts'])
})

it('the code names files after what they are about, never after how useful they are', () => {
  const vague = /(^|[-/])(utils?|helpers?|services?|managers?|common|misc|shared|base)([-./]|$)|(^|\/)index\.ts$/i
  const named = everything.map(({ path }) => path).filter(path => path !== 'index.ts')
  expect(named.filter(path => vague.test(path))).toEqual([])
})

it('the code names a limit after what is limited and its unit, and says last that it is one', () => {
  const other = /^\s*(?:export )?const ((?:MAX|MIN)_\w+|\w+_(?:MAX|MIN)_\w+)/gm
  const named = everything.flatMap(({ path, text }) => [...text.matchAll(other)].map(([, name]) => `${path}: ${name}`))
  expect(named).toEqual([])
})

it('the code has no classes but errors, Durable Objects and one kind of list', () => {
  const classes = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:export )?class (\w+) extends (\w+)/gm)].map(([, name, parent]) => ({ path, name, parent })),
  )
  const bare = sources.filter(({ text }) => /^(?:export )?(?:abstract )?class \w+ (?:implements .*)?\{/m.test(text))
  expect(
    classes.filter(({ parent }) => !['Error', 'Array', 'DurableObject', 'StorageError'].includes(parent ?? '')),
  ).toEqual([])
  expect(bare.map(({ path }) => path)).toEqual([])
})

it('the code has no circles of imports', () => {
  const next = new Map<string, string[]>()
  for (const { from, to, typeOnly } of imports)
    if (!typeOnly && to.endsWith('.ts')) next.set(from, [...(next.get(from) ?? []), to])
  const done = new Set<string>()
  const circles: string[] = []
  const walk = (path: string, trail: string[]): void => {
    const seen = trail.indexOf(path)
    if (seen >= 0) circles.push([...trail.slice(seen), path].join(' -> '))
    else if (!done.has(path)) {
      for (const each of next.get(path) ?? []) walk(each, [...trail, path])
      done.add(path)
    }
  }
  for (const { path } of sources) walk(path, [])
  expect(circles).toEqual([])
})

it('the code has no circles of folders, types included', () => {
  const getTopFolder = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '')
  const next = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const [one, other] = [getTopFolder(from), getTopFolder(to)]
    // Tables are the schema, which statements of several folders join.
    const isSchema = getName(to) === 'table.ts'
    if (to.endsWith('.ts') && !isSchema && one !== '' && other !== '' && one !== other)
      next.set(one, (next.get(one) ?? new Set()).add(other))
  }
  const reaches = (from: string, goal: string, seen = new Set<string>()): boolean =>
    [...(next.get(from) ?? [])].some(each => each === goal || (!seen.has(each) && reaches(each, goal, seen.add(each))))
  expect([...next.keys()].filter(folder => reaches(folder, folder))).toEqual([])
  // The engine knows no kind of entry: these are registered in `kinds.ts`. It appends the event of a job's end, and knows
  // by which spellings entries name a customer who is erased, and how a file of results is written.
  expect([...(next.get('background-job') ?? [])].sort()).toEqual([
    'customer-record',
    'db',
    'event',
    'http',
    'import-file',
  ])
})

it('the code lists the events of every noun that declares some', () => {
  const declaring = sources.filter(({ text }) => /^export const \w+Events = declareEvents\(/m.test(text))
  const listed = imports.filter(({ from, typeOnly }) => from === 'event-types.ts' && !typeOnly)
  expect(declaring.map(({ path }) => path).sort()).toEqual(listed.map(({ to }) => to).sort())
})

it('the code keeps the documentation out of the Worker: routes know the ids of their operations, and no texts', () => {
  const next = new Map<string, string[]>()
  for (const { from, to, typeOnly } of imports)
    if (!typeOnly && to.endsWith('.ts')) next.set(from, [...(next.get(from) ?? []), to])
  const inWorker = new Set(['index.ts'])
  for (const path of inWorker) for (const each of next.get(path) ?? []) inWorker.add(each)
  expect(inWorker.size).toBeGreaterThan(300)
  const texts = /^docs\/|(^|\/)(docs|examples|event-docs)\.ts$/
  expect([...inWorker].filter(path => texts.test(path))).toEqual([])
})

it('the code types everything: no any, no non-null assertion, no silenced compiler', () => {
  const loose = /:\s*any\b|<any\b|\bas any\b|@ts-(ignore|expect-error|nocheck)|[\w)\]]!(\.|;|\)|,|\[)/
  const found = everything.flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter(line => !/^\s*(\/\/|\/?\*)/.test(line) && loose.test(line.replace(/`[^`]*`|'[^']*'/g, '')))
      .map(line => `${path}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})

it('the code builds the pages on packages, the client, the reader of files and each other, and on nothing else of the server', () => {
  expect(pages.length).toBeGreaterThan(30)
  const leaving = pages.flatMap(({ path, text }) =>
    [...text.matchAll(IMPORT)]
      .map(([, , target = '']) => resolve(path, target))
      .filter(to => !to.startsWith('admin/') && (to.startsWith('..') || /\.tsx?$/.test(to)))
      .map(to => `${path} imports ${to}`),
  )
  expect(leaving).toEqual([])
  const byHand = pages.filter(({ text }) => /\bfetch\(['"`]/.test(text)).map(({ path }) => path)
  expect(byHand).toEqual([])
})

it('the code lets the parts of pages know no page, and the pages of one noun not those of another', () => {
  const COMMON = new Set(['api', 'parts', 'shell'])
  const getNoun = (path: string) => path.split('/')[1] ?? ''
  const crossing = pages.flatMap(({ path, text }) =>
    [...text.matchAll(IMPORT)]
      .map(([, , target = '']) => resolve(path, target))
      .filter(to => to.startsWith('admin/') && to.split('/').length > 2)
      .filter(to => path.split('/').length > 2 && getNoun(to) !== getNoun(path) && !COMMON.has(getNoun(to)))
      .map(to => `${path} imports ${to}`),
  )
  expect(crossing).toEqual([])
})
