import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The output of `npm run <script>`: its sources, and a page that exists once it was built. */
interface Part {
  script: string
  sources: readonly string[]
  page: string
}
const PACKAGES = ['package.json', 'package-lock.json', 'tsconfig.json']
const PARTS: readonly Part[] = [
  // The admin area: its own files, the client, and what the client shares with the server.
  {
    script: 'build',
    sources: [
      'src/admin',
      'src/client',
      'src/import-file',
      'src/procedure',
      'src/customer-record',
      'src/http/request',
      'src/refusal-text.ts',
      'src/suggest.ts',
      ...PACKAGES,
    ],
    page: 'dist/site/admin/index.html',
  },
  // The documentation: the routes, and thereby all of the server.
  {
    script: 'docs',
    sources: ['src', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', ...PACKAGES],
    page: 'dist/site/docs.html',
  },
]
const NOT_SOURCES = new Set(['node_modules', 'dist'])
/** The stamp is beside the pages and not among them, since `dist/site` is served. */
const STAMP = 'dist/pages-source'

const PROJECT = path.resolve(import.meta.dirname, '..')

function* filesIn(root: string, name: string): Generator<string> {
  const entries = readdirSync(path.join(root, name), { withFileTypes: true })
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (NOT_SOURCES.has(entry.name)) continue
    const file = path.join(name, entry.name)
    if (entry.isDirectory()) yield* filesIn(root, file)
    else yield file
  }
}

/** Hashes the contents: a checkout, a pull or an unpacked archive sets other times for the same files. */
function hashSources(root: string, { sources }: Part): string {
  const hash = createHash('sha256')
  for (const source of sources)
    for (const file of statSync(path.join(root, source)).isDirectory() ? filesIn(root, source) : [source])
      hash
        .update(`${file}\0`)
        .update(readFileSync(path.join(root, file)))
        .update('\0')
  return hash.digest('hex')
}

/** Stores after a build from which sources it was made. */
export const stampPages = (root = PROJECT): void =>
  writeFileSync(path.join(root, STAMP), PARTS.map(part => hashSources(root, part)).join('\n'))

/** Builds the pages whose source has changed since they were built. What can't be built stays as it was. */
export function freshPages(root = PROJECT): 'current' | 'built' | 'failed' {
  const stamp = path.join(root, STAMP)
  const hashes = existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : []
  const stale = PARTS.find(
    (part, nth) => !existsSync(path.join(root, part.page)) || hashes[nth] !== hashSources(root, part),
  )
  if (stale === undefined) return 'current'
  console.log('The pages are older than their source: building them …')
  try {
    execFileSync('npm', ['run', '--silent', stale.script], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
    stampPages(root)
    return 'built'
  } catch {
    console.error(`The pages could not be built, and are as they were: \`npm run ${stale.script}\` says why`)
    return 'failed'
  }
}
