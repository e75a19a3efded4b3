/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest'

type Texts = Record<string, string>
const toRootPath = (path: string) => (path.startsWith('../') ? path.slice('../'.length) : path.replace('./', 'test/'))
const texts = (files: Texts) =>
  Object.entries(files)
    .map(([path, text]) => ({ path: toRootPath(path), text }))
    .filter(({ path }) => !path.includes('/dist/'))

const sources = texts(
  import.meta.glob<string>('../src/**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }),
)
  // Written by hand, that is.
  .filter(({ path }) => !path.endsWith('.d.ts') && !path.includes('/generated/'))
const tests = texts(import.meta.glob<string>('../test/**/*.ts', { query: '?raw', import: 'default', eager: true }))
const scripts = texts(
  import.meta.glob<string>(['../scripts/*.ts', '../bench/**/*.ts', '../drizzle/*.ts'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
)
const papers = texts(
  import.meta.glob<string>(['../*.md', '../src/**/*.md', '../bench/*.md', '../test/**/*.md', '../drizzle/*.md'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
)
/** Every file by its path, without being read. */
const paths = new Set(
  Object.keys(import.meta.glob(['../**/*', '../.*', '!../node_modules/**', '!../**/dist/**'])).map(toRootPath),
)

/** Files that are named although they are somewhere else: made by a build or by setup, or a reader's own. */
const ELSEWHERE = new Set([
  'worker-configuration.d.ts',
  'src/worker-configuration.d.ts',
  'index.d.ts',
  'package.json',
  'src/procedures.ts',
  'caseworker/profiles.json',
])
const NAMED = /(?<![\w./@…-])((?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:tsx?|md|sql|toml|json|js))(?![\w/])/g
const findComments = (text: string) =>
  [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)].map(([comment]) => comment)

/** A path is written from the root, from `src`, or from any folder above the file that is meant. */
const isThere = (named: string) => [...paths].some(path => path === named || path.endsWith(`/${named}`))

it('comments and documents name no file that does not exist', () => {
  expect(paths.size).toBeGreaterThan(300)
  const said = [
    ...[...sources, ...tests, ...scripts].map(({ path, text }) => ({ path, text: findComments(text).join('\n') })),
    ...papers.map(({ path, text }) => ({ path, text })),
  ]
  const lost = said.flatMap(({ path, text }) =>
    [...text.matchAll(NAMED)].flatMap(([, named = '']) =>
      ELSEWHERE.has(named) || named.startsWith('installations/') || isThere(named) ? [] : [`${path}: ${named}`],
    ),
  )
  expect(lost).toEqual([])
})
