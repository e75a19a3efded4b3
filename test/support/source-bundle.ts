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
export async function sourceBundle(entryPoints: string[]): Promise<Plugin> {
  const files = await findSources(entryPoints)
  const [exported, bundle] = await Promise.all([findExports(files), bundleSources(files)])
  return {
    name: 'source-bundle',
    enforce: 'pre',
    resolveId: id => (id === BUNDLE ? RESOLVED : undefined),
    load(id) {
      if (id === RESOLVED) return bundle
      const nth = files.indexOf(path.relative('.', id))
      return nth < 0 ? undefined : exportMembers(nth, exported[nth] ?? [])
    },
  }
}

/** The files of `src` that the Worker and the tests are made of. */
async function findSources(entryPoints: string[]): Promise<string[]> {
  const contents = entryPoints.map(file => `import './${file}'`).join('\n')
  const { metafile } = await build({ ...BUNDLED, stdin: { contents, resolveDir: '.' }, metafile: true })
  return Object.keys(metafile.inputs).filter(file => /^src\/.*\.tsx?$/.test(file))
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
