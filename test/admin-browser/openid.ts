import type { BrowserContext, Page } from 'playwright-core'
import { axeFaults } from '../browser/axe.ts'
import { expectThat } from '../browser/session.ts'
import type { OpenIdServer } from '../support/openid-server.ts'
import { lookAt, newVisitor, settled, type Visit } from './visit.ts'

const SOMEBODY = 'meera@provider.example'

/**
 * Signs in by a provider of another site and comes back to the wanted page, with the cookie of a session, and without
 * the code in the address.
 */
export async function checkOpenId(visit: Visit, provider: OpenIdServer): Promise<void> {
  await newUser(visit)
  const context = await newVisitor(visit)
  const page = await context.newPage()
  await page.goto(`${visit.running.url}/admin/user?find=meera`)
  await signInAt(page, SOMEBODY)
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  await settled(page)
  expectThat(page.url() === `${visit.running.url}/admin/user?find=meera`, `it leads to ${page.url()}`)
  const cookies = await context.cookies()
  expectThat(
    cookies.every(({ sameSite, httpOnly, secure }) => sameSite === 'Strict' && httpOnly && secure),
    `cookies: ${JSON.stringify(cookies)}`,
  )
  expectThat(
    cookies.some(({ name }) => name === '__Host-caseworker'),
    'there is no session',
  )
  await context.close()

  const stranger = await newVisitor(visit)
  await refusals(visit, stranger, provider)
  await lookAt(visit, stranger, 'sign-in', '/sign-in')
  await stranger.close()
  console.log('an OpenID provider signs in, and who is not let in can read why')
}

async function newUser({ running }: Visit): Promise<void> {
  const response = await fetch(`${running.url}/v1/ext/user`, {
    method: 'POST',
    headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ username: SOMEBODY, email: SOMEBODY, role: 'manager' }),
  })
  expectThat(response.status === 201, `no user was made: ${response.status}`)
}

async function signInAt(page: Page, email: string, button = 'Continue'): Promise<void> {
  await page.getByRole('button', { name: 'Continue with Example ID' }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: button, exact: true }).click()
}

async function refusals({ running }: Visit, context: BrowserContext, provider: OpenIdServer): Promise<void> {
  const page = await context.newPage()
  const told = async (text: string) => {
    await page.getByRole('alert').getByText(text).waitFor()
    const faults = await axeFaults(page)
    expectThat(faults.length === 0, `"${text}": axe finds\n${faults.join('\n')}`)
    expectThat(!/code|state|error/.test(page.url()), `what was brought is left in ${page.url()}`)
    await page.getByRole('link', { name: 'Back to the sign-in' }).click()
  }
  await page.goto(`${running.url}/admin/sign-in`)
  await signInAt(page, 'nobody@provider.example')
  await told('names nobody who may sign in here')
  await signInAt(page, SOMEBODY, 'Cancel')
  await told('You were not signed in there')
  provider.otherwise.answer = path => (path === '/token' ? new Response('down', { status: 503 }) : undefined)
  await signInAt(page, SOMEBODY)
  await told('Example ID cannot be used')
  delete provider.otherwise.answer
  // Somebody else's answer: this browser has begun nothing like it.
  await page.goto(`${running.url}/admin/sign-in/openid?code=12e3&state=1`)
  await told('was begun elsewhere')
  // Opened again, when the address has been cleared: clearing it once more must not load the page without end.
  await page.goto(`${running.url}/admin/sign-in/openid`)
  await told('for those who come back from signing in elsewhere')
  await choosesTeam(page)
  expectThat(!(await context.cookies()).some(({ name }) => name === '__Host-caseworker'), 'somebody was signed in')
  await page.close()
}

/** The demo has one team: the API is made to answer with two. */
async function choosesTeam(page: Page): Promise<void> {
  const teams = [
    { shortId: 'acme', name: 'Acme' },
    { shortId: 'acme_far', name: 'Acme in a far country, with a name that is longer than most' },
  ]
  await page.route('**/v1/session/openid/answer', route =>
    route.fulfill({ json: { _data: { teams, from: '/admin/' }, _meta: { requestId: 'x' }, _errors: [] } }),
  )
  await signInAt(page, SOMEBODY)
  await page.getByRole('heading', { name: 'Which team?' }).waitFor()
  const faults = await axeFaults(page)
  expectThat(faults.length === 0, `the choice of a team: axe finds\n${faults.join('\n')}`)
  const sent = page.waitForRequest('**/v1/session')
  await page.getByRole('button', { name: 'Acme in a far country' }).click()
  const body = (await sent).postDataJSON() as { openid?: { team?: string } }
  expectThat(body.openid?.team === 'acme_far', `chosen: ${JSON.stringify(body)}`)
  await page.getByRole('alert').waitFor()
  await page.unroute('**/v1/session/openid/answer')
}
