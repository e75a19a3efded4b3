import type { Page, Route } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { call, open, signIn, type Visit } from './visit.ts'

/** A page on which something is typed and sent. */
interface Form {
  address: string
  fill: (page: Page) => Promise<void>
  send: string
  /** The text that was typed. */
  kept: string
}

const FORMS: readonly Form[] = [
  {
    address: '/api-key',
    fill: async page => {
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('Name').fill('Outage key')
    },
    send: 'Create the key',
    kept: 'Outage key',
  },
  {
    address: '/user',
    fill: async page => {
      await page.getByRole('button', { name: 'Add a user' }).click()
      await page.getByLabel('Username').fill('outage_user')
    },
    send: 'Add, and make a sign-in link',
    kept: 'outage_user',
  },
  {
    address: '/plugin',
    fill: async page => {
      await page.getByRole('button', { name: 'Connect an account' }).click()
      await page.getByLabel('Name').fill('Outage account')
      await page.getByLabel('WhatsApp business account').fill('100000000000077')
      await page.getByLabel('Number 1, as people write it').fill('+1 555 000 0077')
      await page.getByLabel('Number 1: its id at the provider').fill('200000000000077')
      for (const label of ['Access token', 'App secret', 'Verify token']) await page.getByLabel(label).fill('outage')
    },
    send: 'Connect',
    kept: 'Outage account',
  },
  {
    address: '/procedure/ticket/edit',
    fill: page => page.getByLabel('Name of the procedure').fill('Outage procedure'),
    send: 'See what it would do …',
    kept: 'Outage procedure',
  },
  {
    address: '/procedure/case/new',
    fill: page => page.getByLabel('Phone number').fill('919448377777'),
    send: 'Create the process',
    kept: '919448377777',
  },
]

interface Refusal {
  status: number
  code: string
  /** The text of the page about it. */
  told: string
  /** True if it is tried on each page, and not only on the first. */
  isOfEach?: true
}

const REFUSALS: readonly Refusal[] = [
  { status: 409, code: 'conflict', told: 'Refused with 409', isOfEach: true },
  { status: 412, code: 'precondition_failed', told: 'Refused with 412' },
  { status: 500, code: 'internal_error', told: 'the fault is on its side', isOfEach: true },
  { status: 503, code: 'maintenance', told: 'Refused with 503' },
  { status: 507, code: 'storage_full', told: 'Refused with 507' },
]

const TRIES = 3
/**
 * The client's pauses between tries are half a second and a second: here a tenth of each, and no longer timer is
 * changed.
 */
const SHORT_PAUSES = `
  const later = window.setTimeout.bind(window)
  window.setTimeout = (act, ms, ...rest) => later(act, ms >= 200 && ms <= 1_000 ? ms / 10 : ms, ...rest)
`
const CHANGES = ['POST', 'PUT', 'PATCH', 'DELETE']

/**
 * After any failure of a change, the page says what is known of it, keeps what was typed, and sends nothing a second
 * time without the key of the first.
 */
export async function checkOutages(visit: Visit): Promise<void> {
  // A context of its own: what the browser says of failed calls is no fault here.
  const context = await visit.browser.newContext({ viewport: { width: 1280, height: 850 }, reducedMotion: 'reduce' })
  await context.addInitScript(SHORT_PAUSES)
  const page = await signIn(visit, context)
  // The typed text is left.
  page.on('dialog', dialog => void dialog.accept())
  for (const [nth, form] of FORMS.entries()) {
    for (const refusal of nth === 0 ? REFUSALS : REFUSALS.filter(({ isOfEach }) => isOfEach))
      await isTold(page, form, refusal)
    await isUnknown(page, form)
  }
  await isMadeOnce(visit, page)
  await context.close()
  console.log(`${FORMS.length} forms tell the truth when a change fails, keep what was typed, and make nothing twice`)
}

const isRead = (route: Route): boolean => !CHANGES.includes(route.request().method())

async function begin(page: Page, { address, fill }: Form): Promise<void> {
  await open(page, address)
  await fill(page)
}

async function expectKept(page: Page, { address, kept }: Form, of: string): Promise<void> {
  const values = await page.locator('input, textarea').evaluateAll(all => all.map(each => Reflect.get(each, 'value')))
  expectThat(values.includes(kept), `${address}, ${of}: what was typed is gone: ${values}`)
}

async function isTold(page: Page, form: Form, { status, code, told }: Refusal): Promise<void> {
  await begin(page, form)
  const keys: (string | undefined)[] = []
  await page.route('**/v1/ext/**', route => {
    if (isRead(route)) return route.fallback()
    keys.push(route.request().headers()['idempotency-key'])
    const message = `Refused with ${status}`
    const errors = [{ code, message, hint: 'The hint of it' }]
    return route.fulfill({ status, json: { _data: {}, _meta: { errors, requestId: 'x' }, _errors: [message] } })
  })
  await page.getByRole('button', { name: form.send, exact: true }).click()
  await page.getByText(told).first().waitFor()
  await expectKept(page, form, String(status))
  expectThat(keys.length > 0 && new Set(keys).size === 1 && keys[0] !== undefined, `${form.address}: keys ${keys}`)
  await page.unrouteAll({ behavior: 'wait' })
}

/** The connection breaks before anything is answered. */
async function isUnknown(page: Page, form: Form): Promise<void> {
  await begin(page, form)
  const keys: (string | undefined)[] = []
  await page.route('**/v1/ext/**', route => {
    if (isRead(route)) return route.fallback()
    keys.push(route.request().headers()['idempotency-key'])
    return route.abort('connectionreset')
  })
  for (const times of [1, 2]) {
    await page.getByRole('button', { name: form.send, exact: true }).click()
    // The client tries it three times by itself.
    while (keys.length < TRIES * times) await page.waitForTimeout(50)
    await page.waitForFunction(() => !document.querySelector('button[aria-busy="true"]'))
    await page.getByText('it is not known whether this was done').first().waitFor()
    await expectKept(page, form, `no answer, ${times}`)
  }
  expectThat(new Set(keys).size === 1 && keys[0] !== undefined, `${form.address}, no answer: keys ${keys}`)
  await page.unrouteAll({ behavior: 'wait' })
}

/** A process is created, and each of the answers is lost; the reader sends the form once more: there is one process. */
async function isMadeOnce(visit: Visit, page: Page): Promise<void> {
  const phone = '919448377778'
  await open(page, '/procedure/case/new')
  await page.getByLabel('Phone number').fill(phone)
  const address = '**/v1/ext/procedure/case/process'
  await page.route(address, async route => {
    await route.fetch()
    await route.abort('connectionreset')
  })
  await page.getByRole('button', { name: 'Create the process' }).click()
  await page.getByText('it is not known whether this was done').waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('button', { name: 'Create the process' }).click()
  await page.getByText('The process is created').waitFor()
  const where = encodeURIComponent(JSON.stringify({ 'record.phone': phone }))
  const { count } = await call<{ count: number }>(visit, 'GET', `/v1/ext/procedure/case/process/count?where=${where}`)
  expectThat(count === 1, `sent by its reader twice, made ${count} times`)
}
