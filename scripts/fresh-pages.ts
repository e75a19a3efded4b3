import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** What the pages are made of: their own files, the client, and what the client shares with the server. */
const SOURCES = [
  ...['src/admin', 'src/client', 'src/docs/site', 'src/procedure', 'src/record', 'src/http/request'],
  ...['src/suggest.ts', 'package.json', 'package-lock.json', 'tsconfig.json'],
]
const NO_SOURCES = new Set(['node_modules', 'dist'])
/** Beside the pages and not among them: what is in `dist/site` is served. */
const STAMP = 'dist/pages-source'
const PAGES = 'dist/site/admin/index.html'

const PROJECT = path.resolve(import.meta.dirname, '..')

function* filesIn(root: string, name: string): Generator<string> {
  const entries = readdirSync(path.join(root, name), { withFileTypes: true })
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (NO_SOURCES.has(entry.name)) continue
    const file = path.join(name, entry.name)
    if (entry.isDirectory()) yield* filesIn(root, file)
    else yield file
  }
}

/** By content: a checkout, a pull or an unpacked archive sets other times for the same files. */
function hashOfSources(root: string): string {
  const hash = createHash('sha256')
  for (const source of SOURCES)
    for (const file of path.extname(source) === '' ? filesIn(root, source) : [source])
      hash
        .update(`${file}\0`)
        .update(readFileSync(path.join(root, file)))
        .update('\0')
  return hash.digest('hex')
}

/** After a build: says what it was made of. */
export const stampPages = (root = PROJECT): void => writeFileSync(path.join(root, STAMP), hashOfSources(root))

const isCurrent = (root: string): boolean =>
  [STAMP, PAGES].every(file => existsSync(path.join(root, file))) &&
  readFileSync(path.join(root, STAMP), 'utf8') === hashOfSources(root)

/** Builds the pages if their source has changed since they were built. What can't be built stays as it was. */
export function freshPages(root = PROJECT): 'current' | 'built' | 'failed' {
  if (isCurrent(root)) return 'current'
  console.log('The pages are older than their source: building them …')
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
    return 'built'
  } catch {
    console.error('The pages could not be built, and are as they were: `npm run build` says why')
    return 'failed'
  }
}
