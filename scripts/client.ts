import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { readArguments } from './arguments.ts'
import { bodiesFile, type Document, faultsFile, operationsFile, shapesFile } from './client-types.ts'

readArguments(
  'usage: npm run client\nGenerates the types and operations of the client (src/client/generated) from the OpenAPI document.',
  {},
)
const FOLDER = 'src/client/generated'

/** Bundles the routes for Node, without the Worker's runtime, and returns their OpenAPI document. */
async function documentOfRoutes(): Promise<Document> {
  const bundled = await build({
    stdin: {
      contents: `import { routes } from './src/app.ts'
        import { about } from './src/docs/about.ts'
        import { openapi } from './src/http/openapi/document.ts'
        export const document = openapi(routes, about)`,
      resolveDir: '.',
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    loader: { '.md': 'text' },
    plugins: [
      {
        name: 'runtime',
        setup(building) {
          building.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: 'runtime' }))
          building.onLoad({ filter: /./, namespace: 'runtime' }, () => ({ contents: 'export class DurableObject {}' }))
        },
      },
    ],
  })
  const code = Buffer.from(bundled.outputFiles[0]?.contents ?? []).toString('base64')
  const { document } = (await import(`data:text/javascript;base64,${code}`)) as { document: Document }
  return JSON.parse(JSON.stringify(document)) as Document
}

const document = await documentOfRoutes()
const files = {
  shapes: shapesFile(document),
  bodies: bodiesFile(document),
  faults: faultsFile(document),
  operations: operationsFile(document),
}
for (const [name, text] of Object.entries(files)) writeFileSync(`${FOLDER}/${name}.ts`, text)
execFileSync('npx', ['biome', 'check', '--write', '--log-level', 'error', FOLDER], { stdio: 'inherit' })
