import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import type { Plugin } from 'vitest/config'

const BUNDLE = 'caseworker:source'
const RESOLVED = `\0${BUNDLE}`

const OPTIONS = { write: false, format: 'esm', target: 'es2024', logLevel: 'error' } satisfies BuildOptions
const BUNDLED = {
  ...OPTIONS,
  bundle: true,
  packages: 'external',
  external: ['cloudflare:*', 'caseworker:*', 'node:*', '*?raw'],
} satisfies BuildOptions

/**
 * The source as one module. Vite would load each of its 700 modules by itself into each runtime, which took longer than
 * most files of tests do. What a test imports of a source file is a member of the bundle, as the Worker is: there is one copy.
 */
export async function sourceBundle(main: string): Promise<Plugin> {
  const files = findImported(main)
  const [exported, bundle] = await Promise.all([findExports(files), bundleSources(files)])
  return {
    name: 'source-bundle',
    enforce: 'pre',
    resolveId: id => (id === BUNDLE ? RESOLVED : undefined),
    load(id) {
      if (id === RESOLVED) return bundle
      const file = path.relative('.', id)
      const nth = files.indexOf(file)
      // A bundle of this file would be a second copy, with a memory of its own.
      if (nth < 0 && /^src\/.*\.tsx?$/.test(file))
        throw new Error(`${file} is imported, and no import of it was found in test/ or scripts/`)
      return nth < 0 ? undefined : exportMembers(nth, exported[nth] ?? [])
    },
  }
}

const IMPORTED = /['"](?:\.\.\/)+(src\/[\w./-]+\.tsx?)['"]/g

/**
 * The files of `src` that tests, and what they use of the scripts, import by their names; the tables, of which a test walks
 * all; and the Worker. What these import is in the bundle behind them.
 */
function findImported(main: string): string[] {
  const list = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => path.join(folder, name))
  const importing = [...list('test'), ...list('scripts')].filter(
    name => name.endsWith('.ts') && !/node_modules|^test\/(admin|browser|pages)\/|\.check\.ts$/.test(name),
  )
  const imported = importing.flatMap(name => [...readFileSync(name, 'utf8').matchAll(IMPORTED)])
  const tables = list('src').filter(name => name.endsWith('/table.ts'))
  return [...new Set([main, ...imported.map(([, file = '']) => file), ...tables])]
}

/** The names that each file exports. */
async function findExports(files: string[]): Promise<string[][]> {
  const { metafile } = await build({ ...OPTIONS, entryPoints: files, outdir: '.', outbase: '.', metafile: true })
  const exported = new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]))
  return files.map(file => exported.get(file) ?? [])
}

async function bundleSources(files: string[]): Promise<{ code: string; map: string }> {
  const contents = files.map((file, nth) => `export * as m${nth} from './${file}'`).join('\n')
  const stdin = { contents, resolveDir: '.' }
  const { outputFiles } = await build({ ...BUNDLED, stdin, sourcemap: 'external', outfile: 'source.js' })
  const [map, code] = outputFiles.map(({ text }) => text)
  if (code === undefined || map === undefined) throw new Error('esbuild has made no bundle')
  return { code, map }
}

/** A module whose exports are those of a source file, taken from the bundle. */
function exportMembers(nth: number, names: string[]): string {
  const members = names.map((name, place) => ({ local: `_${place}`, name }))
  return [
    `import { m${nth} } from '${BUNDLE}'`,
    ...members.map(({ local, name }) => `const ${local} = m${nth}[${JSON.stringify(name)}]`),
    `export { ${members.map(({ local, name }) => `${local} as ${name}`).join(', ')} }`,
  ].join('\n')
}
