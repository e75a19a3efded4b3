import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { axeFaults, isForAxe } from '../browser/axe.ts'
import { hardToRead } from '../browser/contrast.ts'
import { expectThat, NARROW, type Scheme, type Viewport, WIDE } from '../browser/session.ts'
import { sleep } from '../support/sleep.ts'
import type { StartedTeam } from '../support/started.ts'

/** Pictures of each page in two widths and both themes, to be looked at: `dist/screenshots/admin`. Nobody does so in CI. */
const PICTURES = path.resolve(import.meta.dirname, '../../dist/screenshots/admin')
const READY_MS = 60_000
const MEASURED_MS_MAX = 5_000
const STEP_MS = 50

/** The admin area in a browser, and what went wrong in any of its pages. */
export interface Visit {
  browser: Browser
  running: StartedTeam
  faults: string[]
  /** The work that runs beside the following jobs, and is awaited after them. */
  beside: Promise<void>[]
}

/** Faults of a page that the test itself asks for, such as a refused change or a provider that fails, are passed by their status. */
const isAskedFor = (text: string): boolean => /status of (4\d\d|502|504)/.test(text)

/** A browser of its own: cookies, storage, cache. What it reports is a fault of the run: errors, and what the security policy refused. */
export async function newVisitor(
  { browser, faults }: Visit,
  viewport: Viewport = WIDE,
  colorScheme: Scheme = 'light',
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    locale: 'en-GB',
    timezoneId: 'Asia/Kolkata',
    reducedMotion: 'reduce',
  })
  context.on('weberror', error => faults.push(`${error.page()?.url()}: ${error.error().message}`))
  context.on('console', message => {
    if (message.type() === 'error' && !isAskedFor(message.text()))
      faults.push(`${message.page()?.url()}: ${message.text()}`)
  })
  return context
}

/** The data of an answer of the API, called as the demo team's admin. */
export async function call<Data>({ running }: Visit, method: string, address: string, body?: object): Promise<Data> {
  const response = await fetch(running.url + address, {
    method,
    headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return ((await response.json()) as { _data: Data })._data
}

/** A one-time link for a user of the demo team, as an admin makes it. */
export async function signInLink(visit: Visit, username = 'admin'): Promise<string> {
  const users = await call<{ id: string; username: string }[]>(visit, 'GET', '/v1/ext/users')
  const user = users.find(each => each.username === username)
  if (!user) throw new Error(`the demo team has no user ${username}: ${users.map(each => each.username)}`)
  return (await call<{ url: string }>(visit, 'POST', `/v1/ext/user/${user.id}/sign-in-link`)).url
}

/** Signs in by a link, as a person does. */
export async function signIn(visit: Visit, context: BrowserContext, username?: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(await signInLink(visit, username))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ timeout: READY_MS, state: 'attached' })
  return page
}

/** Opens an address below `/admin`, and waits until it has been read. */
export async function open(page: Page, address: string): Promise<void> {
  await page.goto(new URL(`/admin${address}`, page.url()).href)
  await settled(page)
}

/** Waits until the page reads nothing any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ timeout: READY_MS })
  // Several parts of a page may be read at once.
  const reading = page.getByRole('status', { name: 'Reading' }).or(page.getByText('Reading …'))
  const deadline = Date.now() + READY_MS
  while ((await reading.count()) > 0) {
    if (Date.now() > deadline) throw new Error(`${page.url()} goes on reading`)
    await page.waitForTimeout(STEP_MS)
  }
}

/**
 * Returns what is still found when a page has had the time for its layout: in the first moments after a change of its
 * width it may be wrong.
 */
export async function stillFound<Found>(find: () => Promise<Found[]>): Promise<Found[]> {
  let found = await find()
  for (const deadline = Date.now() + MEASURED_MS_MAX; found.length > 0 && Date.now() < deadline; found = await find())
    await sleep(STEP_MS)
  return found
}

/** Returns the width by which the page is wider than its window. */
const findWidth = (page: Page): Promise<number[]> =>
  page.evaluate(() => [document.documentElement.scrollWidth - innerWidth].filter(over => over > 0))

/** The rows that are not as high as their table counts them: it measures each once it is laid out. */
const findUneven = (page: Page): Promise<string[]> =>
  page.locator('tr[data-row]').evaluateAll(rows =>
    rows.flatMap(row => {
      const counted = row instanceof HTMLElement ? Number.parseFloat(row.style.height) : Number.NaN
      const { height } = row.getBoundingClientRect()
      return Math.abs(height - counted) < 1 ? [] : [`${height} instead of ${counted}`]
    }),
  )

/** A page in two widths and both themes: it fits, can be read, axe finds no fault; and a picture is kept. */
export async function lookAt(visit: Visit, signedIn: BrowserContext, name: string, address: string): Promise<void> {
  const page = await signedIn.newPage()
  await page.goto(`${visit.running.url}/admin${address}`)
  await lookAround(page, name)
  await page.close()
}

/** Checks a page as it is, with its open dialog. Afterwards it has its width and theme from before. */
export async function lookAround(page: Page, name: string): Promise<void> {
  if (!process.env.CI) mkdirSync(PICTURES, { recursive: true })
  const before = page.viewportSize() ?? WIDE
  for (const viewport of [WIDE, NARROW])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
      await settled(page)
      const where = `${name}, ${viewport.width} pixels, ${colorScheme}`
      if (!process.env.CI)
        await page.screenshot({ path: path.join(PICTURES, `${name}-${viewport.width}-${colorScheme}.png`) })
      const over = await stillFound(() => findWidth(page))
      expectThat(over.length === 0, `${where}: ${over} pixels too wide`)
      const uneven = await stillFound(() => findUneven(page))
      expectThat(
        uneven.length === 0,
        `${where}: rows are not as high as their table counts them: ${uneven.slice(0, 5)}`,
      )
      const faint = await stillFound(() => hardToRead(page))
      expectThat(faint.length === 0, `${where}: hard to read: ${faint.slice(0, 5).join('; ')}`)
      const faults = isForAxe(viewport, colorScheme) ? await axeFaults(page) : []
      expectThat(faults.length === 0, `${where}: axe finds\n${faults.join('\n')}`)
    }
  await page.setViewportSize(before)
  await page.emulateMedia({ colorScheme: 'light' })
}
