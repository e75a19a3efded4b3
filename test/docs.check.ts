import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium as engine } from 'playwright-core'
import { expectThat, type Session } from './browser/session.ts'
import { crawl } from './docs-browser/crawl.ts'
import { comeAgain, findTheWay } from './docs-browser/find-the-way.ts'
import { lookAtPages } from './docs-browser/look-at-pages.ts'
import { runPrinted } from './docs-browser/run-printed.ts'
import { searchByKeyboard } from './docs-browser/search.ts'
import { chooseTheme } from './docs-browser/theme.ts'
import { tryACall } from './docs-browser/try-a-call.ts'
import { readWithoutScript } from './docs-browser/without-script.ts'
import { startTeam } from './support/check-server.ts'
import { chromium } from './support/started.ts'

/** One page of each kind, and the largest ones: axe looks at these, in both sizes and themes. */
const KINDS = [
  '/docs',
  '/docs/reference',
  '/docs/reference/list-processes',
  '/docs/reference/put-procedure',
  '/docs/reference/upload-public-media',
  '/docs/reference/list-users-v2',
  '/docs/reference/get-health',
  '/docs/start',
  '/docs/client',
  '/docs/errors',
  '/docs/limits',
  '/docs/changelog',
  '/docs/search',
  '/docs/nope',
]

/** The headers of each page besides its policy. */
const PAGE_HEADERS = {
  'cache-control': 'public, max-age=0, must-revalidate',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
}

// Lints the document that `npm start` serves, and uses the documentation in a real browser as a reader does.
const running = await startTeam('docs')
try {
  await served()
  await lint()
  const operations = await everyOperation()
  const executablePath = chromium()
  if (executablePath === undefined) console.log('no chromium on this machine: the pages were not looked at')
  else await browse(executablePath, operations)
} finally {
  await running.stop()
}

/** The pages are files, which the Worker never sees: their policy, kinds and redirects are the configuration's. */
async function served(): Promise<void> {
  const get = (path: string, init: RequestInit = {}) => fetch(running.url + path, { redirect: 'manual', ...init })
  for (const path of ['/docs', '/docs/reference', '/docs/errors', '/docs/reference/get-me', '/docs/search']) {
    const page = await get(path)
    const policy = page.headers.get('content-security-policy') ?? ''
    expectThat(page.status === 200, `${path} answers ${page.status}`)
    expectThat(page.headers.get('content-type') === 'text/html; charset=utf-8', `${path} is no page`)
    expectThat(policy.startsWith("default-src 'none'") && !/unsafe|\*|https?:/.test(policy), `${path}: ${policy}`)
    for (const [name, value] of Object.entries(PAGE_HEADERS))
      expectThat(page.headers.get(name) === value, `${path}: ${name} is ${page.headers.get(name)}`)
    const known = { 'if-none-match': page.headers.get('etag') ?? '' }
    expectThat((await get(path, { headers: known })).status === 304, `${path} is sent again to whoever has it`)
    expectThat((await get(path, { method: 'POST' })).status === 405, `${path} can be written`)
    const slash = await get(`${path}/`)
    expectThat([307, 308].includes(slash.status) && slash.headers.get('location') === path, `${path}/ leads nowhere`)
  }
  const icon = await get('/favicon.ico')
  expectThat(icon.status === 301 && icon.headers.get('location') === '/docs/icon.svg', 'there is no icon')
  expectThat((await (await get('/robots.txt')).text()).includes('Disallow: /v1/'), 'robots.txt forbids nothing')
  console.log('pages are served with their policy, once, and from one address each')
}

async function lint(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caseworker-docs-'))
  const file = path.join(folder, 'openapi.json')
  const document = await (await fetch(`${running.url}/openapi.json`)).text()
  // The document is that of an installation with a domain: a server at localhost is an error there.
  writeFileSync(file, document.replaceAll(running.url, 'https://api.acme.dev'))
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const args = ['lint', '--config', 'redocly.yaml', '--format', 'json', file]
  const report = execFileSync('node_modules/.bin/redocly', args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  rmSync(folder, { recursive: true })
  const { problems } = JSON.parse(report.slice(report.indexOf('{'))) as { problems: { message: string }[] }
  if (problems.length > 0)
    throw new Error(`the document is not clean:\n${problems.map(({ message }) => message).join('\n')}`)
  console.log("the document passes Redocly's recommended-strict rules")
}

/** Every operation of the document has a page, which the others lead to. */
async function everyOperation(): Promise<string[]> {
  const pages = await crawl(running.url)
  const { paths } = (await (await fetch(`${running.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const ids = Object.values(paths).flatMap(methods => Object.values(methods).map(({ operationId }) => operationId))
  const shown = pages.filter(({ html }) => html.includes('data-operation='))
  const missing = ids.filter(id => !shown.some(({ html }) => html.includes(`data-operation="${id}"`)))
  expectThat(missing.length === 0, `no page is about ${missing.join(', ')}`)
  console.log(`${pages.length} pages, ${shown.length} of operations; every link leads somewhere`)
  return shown.map(({ href }) => href)
}

async function browse(executablePath: string, operations: readonly string[]): Promise<void> {
  const browser = await engine.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const session: Session = { browser, running, errors: [] }
  try {
    await tryACall(session)
    await comeAgain(session)
    await findTheWay(session)
    await readWithoutScript(session)
    await searchByKeyboard(session)
    await chooseTheme(session)
    await runPrinted(session, operations)
    await lookAtPages(session, KINDS)
    if (session.errors.length > 0) throw new Error(`errors in pages:\n${session.errors.join('\n')}`)
  } finally {
    await browser.close()
  }
}
