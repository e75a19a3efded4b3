import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readArguments } from './arguments.ts'
import { importFromWorker } from './worker-module.ts'

readArguments(
  'usage: npm run docs\nRenders the documentation: from the routes, the guides and the texts of the repository to dist/site, from where it is served.',
  {},
)
const FILES = 'src/docs/site'
const GUIDES = 'src/docs/guides'
const SITE = 'dist/site'

interface Renderer {
  GUIDES: readonly string[]
  render: (texts: {
    guides: Record<string, string>
    changelog: string
    security: string
    licence: string
  }) => Map<string, string>
}

const { GUIDES: names, render } = await importFromWorker<Renderer>(`
  import { documentedRoutes } from './src/docs/documented-routes.ts'
  import { GUIDES, renderSite } from './src/docs/site.ts'
  export { GUIDES }
  export const render = texts => renderSite(documentedRoutes, texts)`)
const read = (file: string): string => readFileSync(file, 'utf8')
const files = render({
  guides: Object.fromEntries(names.map(name => [name, read(`${GUIDES}/${name}.md`)])),
  changelog: read('CHANGELOG.md'),
  security: read('SECURITY.md'),
  licence: read('LICENSE'),
})
// A page that is gone must not be served.
rmSync(`${SITE}/docs`, { recursive: true, force: true })
cpSync(FILES, SITE, { recursive: true })
for (const [name, text] of files) {
  const file = path.join(SITE, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
console.log(`${files.size} files of the documentation are in ${SITE}`)
