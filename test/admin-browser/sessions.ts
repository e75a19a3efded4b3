import type { BrowserContext, Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { newVisitor, open, settled, signIn, signInLink, type Visit } from './visit.ts'

const COOKIE = '__Host-caseworker'

/** A link signs in once; the cookie cannot be read, is of no use after the sign-out, and none that was there before is taken over. */
export async function checkSessions(visit: Visit): Promise<void> {
  const { running } = visit
  const link = await signInLink(visit)
  const first = await newVisitor(visit)
  // Fixation: a cookie that somebody else has put there is replaced, not signed in.
  await first.addCookies([
    {
      name: COOKIE,
      value: 'planted',
      domain: 'localhost',
      path: '/',
      secure: true,
      httpOnly: true,
      sameSite: 'Strict',
    },
  ])
  const page = await first.newPage()
  await page.goto(link)
  expectThat(!page.url().includes('cwl_') || (await hashIsGone(page)), 'the link stays in the address')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
  await settled(page)
  const cookie = await readCookie(first)
  expectThat(cookie.value !== 'planted', 'the planted cookie was signed in')
  expectThat(cookie.httpOnly && cookie.secure && cookie.sameSite === 'Strict', `the cookie: ${JSON.stringify(cookie)}`)
  expectThat(!(await page.evaluate(() => document.cookie)).includes(COOKIE), 'scripts can read the cookie')
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  expectThat(!stored.includes(cookie.value), 'the token is in storage')

  const second = await newVisitor(visit)
  const used = await second.newPage()
  await used.goto(link)
  await used.getByRole('button', { name: 'Sign in' }).click()
  await used.getByRole('alert').waitFor()
  await second.close()

  const stolen = { cookie: `${COOKIE}=${cookie.value}` }
  const me = () => fetch(`${running.url}/v1/ext/me`, { headers: stolen }).then(({ status }) => status)
  expectThat((await me()) === 200, 'the session does not work')
  const foreign = await fetch(`${running.url}/v1/ext/api-key`, {
    method: 'POST',
    headers: { ...stolen, origin: 'https://evil.example', 'content-type': 'application/json' },
    body: '{"name": "theft", "role": "admin"}',
  })
  expectThat([401, 403].includes(foreign.status), `another origin may change something: ${foreign.status}`)
  // A page that reads by itself would go to the sign-in page beside the navigation below.
  await page.goto('about:blank')
  await fetch(`${running.url}/v1/session`, { method: 'DELETE', headers: { ...stolen, origin: running.url } })
  expectThat((await me()) === 401, 'the cookie works after the sign-out')
  await page.goto(`${running.url}/admin/api-key`)
  await page.waitForURL(/\/admin\/sign-in\?from=/)
  await first.close()
  console.log('a link signs in once; the cookie is of no use to thieves, other origins, or after the sign-out')
}

const hashIsGone = (page: Page): Promise<boolean> => page.waitForFunction(() => location.hash === '').then(() => true)

async function readCookie(context: BrowserContext) {
  const cookie = (await context.cookies()).find(({ name }) => name === COOKIE)
  if (!cookie) throw new Error('no cookie was set')
  return cookie
}

/** A session that ends while a form is open, on the server or by a sign-out in another window: what was typed is there after the next sign-in. */
export async function checkSessionEnd(visit: Visit): Promise<void> {
  const context = await newVisitor(visit)
  const page = await signIn(visit, context)
  await open(page, '/procedure/ticket/edit')
  const name = page.getByLabel('Name of the procedure')
  await name.fill('Ticket, as typed')
  await endOnServer(visit, context)
  await page.getByRole('button', { name: 'See what it would do' }).click()
  const ended = page.getByRole('dialog', { name: 'Your session has ended' })
  await ended.waitFor()
  await page.keyboard.press('Escape')
  const [other] = await Promise.all([
    context.waitForEvent('page'),
    ended.getByRole('button', { name: 'Sign in in a new window' }).click(),
  ])
  await other.goto(await signInLink(visit))
  await other.getByRole('button', { name: 'Sign in' }).click()
  await ended.waitFor({ state: 'detached' })
  expectThat((await name.inputValue()) === 'Ticket, as typed', `typed, and found again: ${await name.inputValue()}`)
  await page.getByRole('button', { name: 'See what it would do' }).click()
  const outlook = page.getByRole('dialog', { name: 'What saving would do' })
  await outlook.getByRole('button', { name: 'Back' }).click()

  const second = await context.newPage()
  await second.goto(new URL('/admin/me', page.url()).href)
  await second.getByRole('button', { name: 'Sign out' }).click()
  await ended.waitFor()
  await second.goto(await signInLink(visit))
  await second.getByRole('button', { name: 'Sign in' }).click()
  await ended.waitFor({ state: 'detached' })
  expectThat((await name.inputValue()) === 'Ticket, as typed', 'what was typed is gone after a sign-out elsewhere')

  // Nothing was typed here: the sign-in is next, and from there the same address.
  await open(second, '/request?failed=true')
  await endOnServer(visit, context)
  await leavesBySignIn(second, 'Users')
  await context.close()
  console.log('a session that ends while a form is open takes nothing that was typed')
}

/** A page that reads something by itself meanwhile leaves without the click. */
async function leavesBySignIn(page: Page, link: string): Promise<void> {
  const isLeft = page.waitForURL(/\/admin\/sign-in\?from=/)
  await Promise.any([page.getByRole('link', { name: link }).click(), isLeft])
  await isLeft
}

const toCookieHeader = async (context: BrowserContext) => ({ cookie: `${COOKIE}=${(await readCookie(context)).value}` })

/** Ends a session as an admin does; the next request has the same response as after the idle time. */
async function endOnServer({ running }: Visit, context: BrowserContext): Promise<void> {
  const headers = { ...(await toCookieHeader(context)), origin: running.url }
  const { status } = await fetch(`${running.url}/v1/session`, { method: 'DELETE', headers })
  expectThat(status === 200, `the session could not be ended: ${status}`)
}
