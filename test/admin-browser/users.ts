import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { sleep } from '../support/sleep.ts'
import { newVisitor, open, settled, signIn, type Visit } from './visit.ts'

const NAME = 'tester'

/** A user is added, signs in by the link, sees no button that a viewer may not use; is deactivated, and out. */
export async function checkUsers(visit: Visit, page: Page): Promise<void> {
  await open(page, '/user')
  await page.getByRole('button', { name: 'Add a user' }).click()
  await page.getByLabel('Username').fill(NAME)
  await page.getByLabel('Role').selectOption('viewer')
  await page.getByRole('button', { name: 'Add, and make a sign-in link' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign-in link' })
  const link = (await dialog.getByLabel('Sign-in link', { exact: true }).last().textContent()) ?? ''
  await dialog.getByRole('button', { name: 'I have sent it' }).click()

  const context = await newVisitor(visit)
  const theirs = await context.newPage()
  await theirs.goto(link)
  await theirs.getByRole('button', { name: 'Sign in' }).click()
  await theirs.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
  const menu = await theirs.getByRole('navigation', { name: 'Pages' }).innerText()
  expectThat(!/API keys|Webhooks|Sessions/.test(menu), `a viewer is offered ${menu}`)
  await open(theirs, '/user')
  expectThat(
    (await theirs.getByRole('button', { name: 'Add a user' }).count()) === 0,
    'a viewer is offered to add a user',
  )

  // A user who was added without a name is called by the username, everywhere.
  await open(page, '/session')
  await page.getByRole('row').filter({ hasText: NAME }).waitFor()

  await open(page, '/user')
  await page.getByRole('button', { name: NAME }).click()
  await page.getByRole('menuitem', { name: 'Deactivate' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click()
  await page.getByRole('row').filter({ hasText: NAME }).getByText('Deactivated').waitFor()
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  await context.close()
  const out = outWithin(`${visit.running.url}/v1/ext/me`, { cookie })
  out.catch(() => {})
  visit.beside.push(out)
  console.log('a user was added, let in, offered only what viewers may do, and deactivated')
}

const OUT_WITHIN_MS = 45_000

/** Isolates trust a session for a while: the next jobs are done meanwhile. */
async function outWithin(address: string, headers: Record<string, string>): Promise<void> {
  for (const startedAt = Date.now(); Date.now() - startedAt < OUT_WITHIN_MS; ) {
    const { status } = await fetch(address, { headers })
    if (status === 401) return console.log('the session of the deactivated user is out')
    await sleep(2_000)
  }
  throw new Error('the session of a deactivated user goes on')
}

/** A passkey is added to one's own account, signs in without a link, and is removed. */
export async function checkPasskeys(visit: Visit): Promise<void> {
  const context = await newVisitor(visit)
  const page = await signIn(visit, context, 'meera')
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await open(page, '/me')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('My laptop')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('My laptop').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
  await open(page, '/me')
  await settled(page)
  await page.getByRole('row').filter({ hasText: 'This one' }).getByText('Passkey').waitFor()
  await page.getByRole('button', { name: 'Remove My laptop' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No passkey yet').waitFor()
  await context.close()
  console.log('a passkey was added, signed in, and was removed')
}
