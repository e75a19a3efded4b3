import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { call, lookAt, newVisitor, open, settled, signIn, type Visit } from './visit.ts'

const SECRET = 'a-secret-of-the-browser-test'
const TO = '919448312345'

/** The stopped one says why; a template is seen as WhatsApp shows it and sent as a test after a question; a plugin is connected, and deleted by typing its name. */
export async function checkPlugins(visit: Visit, page: Page): Promise<void> {
  const isStopped = async () =>
    (await call<{ name: string; status: string }[]>(visit, 'GET', '/v1/ext/plugin')).some(
      ({ name, status }) => name === 'Old sales number' && status === 'STOPPED',
    )
  // The demo team sends in the background: it is stopped as soon as its first message was refused.
  for (let looks = 0; looks < 600 && !(await isStopped()); looks++) await page.waitForTimeout(200)

  await open(page, '/plugin')
  await page.getByRole('row').filter({ hasText: 'Old sales number' }).getByText('Stopped', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Old sales number' }).click()
  await page.getByText('The access token has expired').waitFor()
  const viewers = await newVisitor(visit)
  const theirs = await signIn(visit, viewers, 'auditor')
  await open(theirs, new URL(page.url()).pathname.replace('/admin', ''))
  await theirs.getByText('The access token has expired').waitFor()
  for (const name of ['Change', 'Delete', 'Sync', 'The cause is gone', 'Test send'])
    expectThat((await theirs.getByRole('button', { name }).count()) === 0, `a viewer is offered: ${name}`)
  await viewers.close()

  await open(page, '/plugin')
  await page.getByRole('link', { name: 'Solar sales and service' }).click()
  await settled(page)
  await page.getByRole('list', { name: 'Templates' }).getByRole('link', { name: 'rate_us' }).click()
  const details = page.getByRole('region', { name: 'Template rate_us' })
  await details.getByText('Not quite', { exact: true }).waitFor()
  const { pathname, search } = new URL(page.url())
  await lookAt(visit, page.context(), 'plugin', pathname.replace('/admin', '') + search)
  const sent = async () => (await call<object[]>(visit, 'GET', `/v1/ext/message?phoneNumber=${TO}`)).length
  const before = await sent()
  await details.getByRole('button', { name: 'Test send' }).click()
  const dialog = page.getByRole('dialog', { name: 'Test send: rate_us' })
  await dialog.getByLabel('To the number').fill(`+${TO}`)
  await dialog.getByLabel('Text: {{1}}').fill('Browser')
  await dialog.getByText('Hello Browser, is all well').waitFor()
  await dialog.getByRole('button', { name: 'Send' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByRole('button', { name: 'Cancel' }).click()
  expectThat((await sent()) === before, 'it was sent though nobody said so')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await question.getByRole('button', { name: 'Send the message' }).click()
  await page.getByRole('heading', { name: `Message to +${TO}` }).waitFor()
  expectThat((await sent()) === before + 1, 'the test was not sent once')

  await open(page, '/plugin')
  await page.getByRole('button', { name: 'Connect an account' }).click()
  await page.getByLabel('Name').fill('Browser test')
  await page.getByLabel('WhatsApp business account').fill('100000000000099')
  await page.getByLabel('Number 1, as people write it').fill('+1 555 000 0099')
  await page.getByLabel('Number 1: its id at the provider').fill('200000000000099')
  for (const label of ['Access token', 'App secret', 'Verify token']) await page.getByLabel(label).fill(SECRET)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('heading', { name: 'Browser test', level: 1 }).waitFor()
  expectThat(!(await page.content()).includes(SECRET), 'a secret is in the page')
  await page.getByText(/\/webhooks\/whatsapp\//).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  const remove = question.getByRole('button', { name: 'Delete the plugin' })
  expectThat(await remove.isDisabled(), 'a plugin can be deleted without typing its name')
  await question.getByRole('textbox').fill('Browser test')
  await remove.click()
  await page.getByText('Browser test is deleted').waitFor()
  expectThat(
    !JSON.stringify(await call(visit, 'GET', '/v1/ext/plugin')).includes('Browser test'),
    'the plugin is still there',
  )
  console.log('a plugin was connected and deleted, a template seen and sent as a test')
}
