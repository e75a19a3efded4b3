/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest'

// README, ARCHITECTURE and the other documents agree with the code. The test of names checks the files that they name.

/** Vite gives paths relative to this file. */
const toRootPath = (path: string) =>
  path.startsWith('../../')
    ? path.slice('../../'.length)
    : path.replace(/^\.\.\//, 'test/').replace(/^\.\//, 'test/docs/')
const fromRootAll = <Value>(found: Record<string, Value>): Map<string, Value> =>
  new Map(Object.entries(found).map(([path, value]) => [toRootPath(path), value]))

const documents = fromRootAll(
  import.meta.glob<string>(
    ['../../*.md', '../../bench/*.md', '../../src/client/*.md', '../../examples/*.md', '../../test/**/*.md'],
    {
      query: '?raw',
      import: 'default',
      eager: true,
    },
  ),
)
const sources = fromRootAll(
  import.meta.glob<string>(['../../src/**/*.ts', '../../scripts/**/*.ts'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
)
const files = new Set([
  ...fromRootAll(
    import.meta.glob(['../../*', '../../{src,test,scripts,bench,drizzle,examples}/**/*', '!../../src/client/dist/**']),
  ).keys(),
])

/** A document that names a function, type or constant after its file: `src/db/write.ts` `write`. */
const NAMED_IN_FILE = /`((?:src|scripts)\/[\w./-]+\.ts)`((?:,? `\w+`)+)/g
const LINK = /\]\((?!https?:|\/|#)([^)#\s]+)/g

describe.each([...documents])('%s', (document, text) => {
  it('names functions, types and constants that their files declare', () => {
    const lost = [...text.matchAll(NAMED_IN_FILE)].flatMap(([, file = '', names = '']) =>
      [...names.matchAll(/\w+/g)].flatMap(([name]) => {
        const declaration = new RegExp(`(?:function\\*?|const|class|interface|type) ${name}\\b`)
        return declaration.test(sources.get(file) ?? '') ? [] : [`${file}: ${name}`]
      }),
    )
    expect(lost).toEqual([])
  })

  it('has no leftovers of a merge', () => {
    expect(text.match(/^(<{7}|={7}|>{7})( |$)/gm) ?? []).toEqual([])
  })

  it('links to files that exist', () => {
    const folder = document.split('/').slice(0, -1)
    const targets = [...text.matchAll(LINK)].map(([, path = '']) => [...folder, path].join('/'))
    expect(targets.filter(path => !files.has(path))).toEqual([])
  })
})

it('every folder and file at the top of src is on the map of ARCHITECTURE', () => {
  const [, map = ''] = /```text\nsrc\/\n([\s\S]*?)```/.exec(documents.get('ARCHITECTURE.md') ?? '') ?? []
  const top = [...files].flatMap(path => /^src\/([\w-]+(?:\/|\.ts$))/.exec(path)?.[1] ?? [])
  expect(top.length).toBeGreaterThan(100)
  expect([...new Set(top)].filter(name => !map.includes(`  ${name} `))).toEqual([])
})

it('README has at most 150 lines', () => {
  expect(documents.get('README.md')?.split('\n').length).toBeLessThanOrEqual(151)
})
