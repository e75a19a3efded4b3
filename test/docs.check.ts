import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, chromium as engine, type Page } from 'playwright-core'
import { hardToRead } from './support/contrast.ts'
import { realIds } from './support/real-ids.ts'
import { chromium, started } from './support/started.ts'

/** What a printed request may come to on a fresh start: nothing is left to be cancelled, nobody signed. All others go well. */
const OTHERWISE: Record<string, number> = {
  cancelJob: 409,
  retryJob: 409,
  resendMessage: 409,
  getMedia: 404,
  removeOptOut: 404,
  receiveWebhook: 401,
  verifyWebhook: 403,
}

/** How the ids of the document's examples begin. */
const MADE_UP = '01935c1e-5a00-7'
/** What the page leaves alone, and what a fresh start has none of: jobs, messages, media. */
const HAS_NONE = /^(delete|remove|revoke|rotate|restore|getMedia$|receiveWebhook$)|Job|^(get|resend)Message$/

// Lints the document that a fresh `npm start` serves, and uses the reference in a real browser as a reader does.
const errors: string[] = []
const running = await started()
try {
  await lint()
  const executablePath = chromium()
  if (executablePath === undefined) console.log('no chromium on this machine: the pages were not looked at')
  else await browse(executablePath)
} finally {
  await running.stop()
}

async function lint(): Promise<void> {
  const file = path.join(running.state, 'openapi.json')
  const document = await (await fetch(`${running.url}/openapi.json`)).text()
  // As an installation with a domain serves it: a server at localhost is an error there.
  writeFileSync(file, document.replaceAll(running.url, 'https://api.acme.dev'))
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const args = ['redocly', 'lint', '--config', 'redocly.yaml', '--format', 'json', file]
  const report = execFileSync('npx', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const { problems } = JSON.parse(report.slice(report.indexOf('{'))) as { problems: { message: string }[] }
  if (problems.length > 0)
    throw new Error(`the document is not clean:\n${problems.map(({ message }) => message).join('\n')}`)
  console.log("the document passes Redocly's recommended-strict rules")
}

async function browse(executablePath: string): Promise<void> {
  const browser = await engine.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    await tryACall(browser)
    await comeAgain(browser)
    await findTheWay(browser)
    await runPrinted(browser)
    for (const [width, height] of [
      [1280, 900],
      [390, 844],
    ] as const)
      for (const colorScheme of ['light', 'dark'] as const) await lookAtPages(browser, { width, height }, colorScheme)
    if (errors.length > 0) throw new Error(`errors in pages:\n${errors.join('\n')}`)
  } finally {
    await browser.close()
  }
}

/** Is asked for the token, pastes it, tries a call, makes a mistake, and follows the link of the error. */
async function tryACall(browser: Browser): Promise<void> {
  const page = await opened(browser, { width: 1280, height: 900 }, 'light')
  await page.goto(`${running.url}/docs`)
  const fetching = page.locator('#getProcessByPrimaryKey')
  await fetching.locator('summary').first().click()
  await fetching.getByRole('button', { name: 'Send' }).click()
  await says(fetching.locator('.result'), 'needs a token')
  await says(page.locator('#token:focus'), '')
  await page.keyboard.type(running.token)
  await page.keyboard.press('Enter')
  const sending = fetching.getByRole('button', { name: 'Send' })
  if (!(await sending.evaluate(button => button === document.activeElement)))
    throw new Error('Enter does not lead back to the call')
  await sending.click()
  await says(fetching.locator('.result .status'), '200')
  await says(fetching.locator('.result pre'), 'LEAD-00000')
  await fetching.getByLabel('primaryKeyValue').fill('NOBODY')
  await fetching.getByRole('button', { name: 'Send' }).click()
  await says(fetching.locator('.result .status'), '404')
  await fetching.locator('.result').getByRole('link', { name: 'not_found' }).click()
  await page.waitForURL('**/docs/errors#not_found')
  await says(page.locator('#not_found'), 'not_found')
  await page.close()
  console.log("a call tried, a mistake made, its error's link followed")
}

/** Reloads pages and comes back to them: a page that the browser kept works as it did. */
async function comeAgain(browser: Browser): Promise<void> {
  const page = await opened(browser, { width: 1280, height: 900 }, 'light')
  const looksRight = () =>
    page.evaluate(() => getComputedStyle(document.querySelector('.brand') ?? document.body).fontWeight !== '400')
  for (const address of ['/docs', '/docs/start']) {
    await page.goto(running.url + address)
    const again = [
      () => page.reload(),
      () => page.goto(`${running.url}/docs/limits`).then(() => page.goBack()),
      () => page.reload(),
    ]
    for (const come of again) {
      await come()
      if (address === '/docs') await page.locator('#reference[aria-busy="false"]').waitFor({ timeout: 10_000 })
      if (!(await looksRight())) throw new Error(`${address} has lost its looks on the way back`)
    }
  }
  await page.close()
  console.log('pages reloaded and revisited')
}

/** Follows a link to an operation, looks for what is not there, and opens a page that is not there. */
async function findTheWay(browser: Browser): Promise<void> {
  const page = await opened(browser, { width: 1280, height: 900 }, 'light')
  await page.goto(`${running.url}/docs#putProcedure`)
  await page.locator('.side a[href="#putProcedure"]').waitFor({ state: 'visible' })
  await page.locator('#putProcedure[open]').waitFor()
  const edges = await page.evaluate(() =>
    ['#token-form', '#find', '.operation'].map(each => document.querySelector(each)?.getBoundingClientRect().right),
  )
  if (new Set(edges).size !== 1) throw new Error(`the boxes of the reference end at ${edges.join(', ')}`)
  await page.getByLabel('Search').fill('retry_after')
  await page.locator('#elsewhere a').first().waitFor({ state: 'visible' })
  await page.getByLabel('Search').fill('restore')
  await page.locator('#elsewhere').waitFor({ state: 'hidden' })
  await page.goto(`${running.url}/docs/nope`)
  await says(page.locator('h1'), 'Page not found')
  await page.locator('.side a[href="/docs/limits"]').click()
  await says(page.locator('h1'), 'Limits')
  await page.close()
  console.log('links open the menu, a search that finds nothing and a page that is not there lead on')
}

/**
 * Runs the request that is printed beside each operation. With a token, the page itself has put the team's own ids in
 * place of those that are made up; what is to be deleted, and what a fresh start does not have, is put in here.
 */
async function runPrinted(browser: Browser): Promise<void> {
  const page = await opened(browser, { width: 1280, height: 900 }, 'light')
  await page.goto(`${running.url}/docs`)
  await page.getByLabel('Token').fill(running.token)
  await openEverything(page)
  await page.waitForFunction(() => document.querySelector('.try[aria-busy]') === null)
  const printed = await page
    .locator('.operation')
    .evaluateAll(all => all.map(each => [each.id, each.querySelector('.command code')?.textContent ?? ''] as const))
  await page.close()
  const folder = mkdtempSync(path.join(tmpdir(), 'caseworker-printed-'))
  writeFileSync(path.join(folder, 'offer.pdf'), '%PDF-1.7\n')
  const env = { ...process.env, API: running.url, TOKEN: running.token }
  const options = { env, cwd: folder, encoding: 'utf8', timeout: 30_000 } as const
  const madeUp = printed.filter(([, command]) => command.includes(MADE_UP)).map(([id]) => id)
  const surprising = madeUp.filter(id => !HAS_NONE.test(id))
  if (surprising.length > 0) throw new Error(`with a token, made-up ids are left in ${surprising.join(', ')}`)
  const lacking = printed.filter(([, command]) => command === '').map(([id]) => id)
  if (lacking.length > 0) throw new Error(`no request is printed for ${lacking.join(', ')}`)
  const isEnd = (id: string) => /^(delete|revoke)/.test(id)
  for (const [id, command] of [...printed].sort(([a], [b]) => Number(isEnd(a)) - Number(isEnd(b)))) {
    const real = await realIds(running, id)
    const known = [...real].reduce((text, [example, there]) => text.replaceAll(example, there), command)
    const said = execFileSync('bash', ['-c', `${known} -w '\n%{http_code}'`], options)
    const status = Number(said.slice(said.lastIndexOf('\n')))
    if (status >= 300 && status !== OTHERWISE[id]) throw new Error(`${id} as printed:\n${known}\n${said}`)
  }
  rmSync(folder, { recursive: true })
  if (printed.length < 50) throw new Error(`only ${printed.length} requests are printed`)
  console.log(
    `${printed.length} printed requests run, ${printed.length - Object.keys(OTHERWISE).length} of them went well`,
  )
}

async function lookAtPages(browser: Browser, viewport: Viewport, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await opened(browser, viewport, colorScheme)
  await page.goto(`${running.url}/docs`)
  const hrefs = await page
    .locator('.side a[href^="/docs"]')
    .evaluateAll(links => links.map(each => each.getAttribute('href')))
  if (hrefs.length < 8) throw new Error(`the menu has only ${hrefs.join(', ')}`)
  for (const href of new Set(hrefs)) {
    await page.goto(`${running.url}${href}`)
    await page.locator('h1').waitFor()
    if (href === '/docs') await openEverything(page)
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (over > 0) throw new Error(`${href} is ${over} pixels wider than a screen of ${viewport.width}`)
    const faint = await hardToRead(page)
    if (faint.length > 0) throw new Error(`${href} is hard to read in ${colorScheme}: ${faint.slice(0, 5).join('; ')}`)
    const dead = await deadLinks(page)
    if (dead.length > 0) throw new Error(`${href} links to nowhere: ${dead.join(', ')}`)
  }
  await page.close()
  console.log(`every page fits ${viewport.width} pixels and can be read in ${colorScheme}, every link leads somewhere`)
}

async function openEverything(page: Page): Promise<void> {
  await page.locator('#reference[aria-busy="false"]').waitFor()
  await page.evaluate(() => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('details.operation')) details.open = true
  })
  await page.locator('.try').last().waitFor({ state: 'attached' })
}

/** Links to our own pages whose page or section does not exist. */
function deadLinks(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const links = new Set([...document.querySelectorAll<HTMLAnchorElement>('main a[href]')].map(each => each.href))
    const own = [...links].filter(link => new URL(link).origin === location.origin)
    const pages = new Map<string, Document>()
    const dead: string[] = []
    for (const link of own) {
      const { pathname, hash } = new URL(link)
      if (!pages.has(pathname)) {
        const response = await fetch(pathname)
        if (!response.ok) dead.push(link)
        pages.set(pathname, new DOMParser().parseFromString(await response.text(), 'text/html'))
      }
      const here = pathname === location.pathname ? document : pages.get(pathname)
      // The operations of the reference are made by its script.
      const lazy = pathname === '/docs' && pathname !== location.pathname
      if (hash !== '' && !lazy && !here?.getElementById(hash.slice(1))) dead.push(link)
    }
    return dead
  })
}

type Viewport = { width: number; height: number }

/** A page whose errors are kept for the end, save the refusals that are asked for: thrown here, nobody would clean up. */
async function opened(browser: Browser, viewport: Viewport, colorScheme: 'light' | 'dark'): Promise<Page> {
  const page = await browser.newPage({ viewport, colorScheme })
  page.on('pageerror', error => errors.push(`${page.url()}: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().includes('404')) errors.push(`${page.url()}: ${message.text()}`)
  })
  return page
}

async function says(locator: ReturnType<Page['locator']>, text: string): Promise<void> {
  await locator.filter({ hasText: text }).first().waitFor({ timeout: 30_000 })
}
