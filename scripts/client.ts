import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { readArguments } from './arguments.ts'
import { bodiesFile, type Document, faultsFile, operationsFile, shapesFile } from './client-types.ts'
import { importFromWorker } from './worker-module.ts'

readArguments(
  'usage: npm run client\nGenerates the types and operations of the client (src/client/generated) from the OpenAPI document.',
)
const FOLDER = 'src/client/generated'

const module = await importFromWorker<{ document: Document }>(`
  import { about } from './src/docs/about.ts'
  import { documentedRoutes } from './src/docs/documented-routes.ts'
  import { buildOpenApiDocument } from './src/http/openapi/document.ts'
  export const document = buildOpenApiDocument(documentedRoutes, about)`)
const document = JSON.parse(JSON.stringify(module.document)) as Document
const files = {
  shapes: shapesFile(document),
  bodies: bodiesFile(document),
  faults: faultsFile(document),
  operations: operationsFile(document),
}
for (const [name, text] of Object.entries(files)) writeFileSync(`${FOLDER}/${name}.ts`, text)
execFileSync('npx', ['biome', 'check', '--write', '--log-level', 'error', FOLDER], { stdio: 'inherit' })
