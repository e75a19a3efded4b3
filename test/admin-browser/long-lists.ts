import type { Page, Route } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { open, type Visit } from './visit.ts'

const ROWS = 100_000
const PAGE = 100
const ROW_PX = 38
const LIST = '/procedure/lead/process'
/** The number of pages that are read before the same is measured again. */
const READ_BETWEEN = 32
const WARMED = 4
const MEASURED = 4
/**
 * The allowed growth of the same work, which varies by how often the page is drawn; work that grew with the rows would
 * be five times as much.
 */
const GROWTH_MAX = 2
const DRAWN_MAX = 60

/** A list of 100,000 processes: what one page costs does not grow with those that were read, and keys and places hold. */
export async function checkLongList(_visit: Visit, signedIn: Page): Promise<void> {
  const page = await signedIn.context().newPage()
  await page.goto(signedIn.url())
  await page.addInitScript(COUNTING)
  const asked = { pages: 0, skips: 0 }
  await page.route('**/v1/ext/procedure/lead/process/list', route => answerList(route, asked))
  await page.route('**/v1/ext/procedure/lead/process/count*', route =>
    route.fulfill({ json: envelope({ count: ROWS }, { isComplete: true, next: null }) }),
  )
  await open(page, LIST)
  await rowIsRead(page, 1)
  await page.getByText(`of ${ROWS.toLocaleString('en-GB')}`).waitFor()
  await costsTheSame(page)
  await goesAnywhere(page, asked)
  await isUsedByKeys(page)
  await staysWhereItWas(page)
  await page.close()
  console.log(
    `a list of ${ROWS} processes: no page costs more than the first, any row is reached, keys and "back" work`,
  )
}

const envelope = (data: unknown, meta: object) => ({
  ...Object.fromEntries([['_data', data]]),
  ...Object.fromEntries([['_meta', { requestId: 'of-the-test', ...meta }]]),
  ...Object.fromEntries([['_errors', []]]),
})

interface Asked {
  pages: number
  skips: number
}

async function answerList(route: Route, asked: Asked): Promise<void> {
  const { limit = PAGE, skip, cursor } = route.request().postDataJSON()
  asked.pages++
  if (skip !== undefined) asked.skips++
  const first = Number(cursor ?? skip ?? 0)
  const last = Math.min(ROWS, first + limit)
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, nth) => processAt(first + nth))
  await route.fulfill({ json: envelope(rows, { hasMore: last < ROWS, next: last < ROWS ? String(last) : null }) })
}

function processAt(nth: number) {
  const at = 1_790_000_000_000 - nth * 1_000
  return {
    id: `0199f5e4-32b0-7d60-92fe-${String(nth).padStart(12, '0')}`,
    createdAt: at,
    updatedAt: at,
    team: 'team',
    procedure: 'lead',
    procedureShortId: 'lead',
    record: null,
    status: 'OPEN',
    state: 'NEW',
    nextActionAt: at,
    assignedTo: null,
    createdBy: null,
    completedAt: 0,
    isDeleted: false,
    data: { lead_id: `ROW-${nth + 1}`, name: 'Asha Rao', city: 'Pune', score: nth % 100 },
  }
}

const rowIsRead = (page: Page, number: number) =>
  page.getByRole('link', { name: `ROW-${number}`, exact: true }).waitFor({ state: 'attached' })

const scrollTo = (page: Page, row: number) =>
  page.locator('main section[aria-label^="Processes of"]').evaluate((frame, top) => {
    frame.scrollTop = top
  }, row * ROW_PX)

/** Scrolls on, page by page, as each is read. */
async function readPages(page: Page, from: number, pages: number): Promise<void> {
  for (let nth = 1; nth <= pages; nth++) {
    await scrollTo(page, from + nth * PAGE)
    await rowIsRead(page, from + nth * PAGE + 1)
  }
}

/**
 * Counts each look at a row from the next page on: code that does something for each row reads its id. It is a text,
 * since the loader of this file names functions by a helper of its own.
 */
const COUNTING = `
  window.looksAtRows = 0
  const parse = JSON.parse
  JSON.parse = (text, reviver) => {
    const parsed = parse(text, reviver)
    const rows = parsed?._data
    for (const row of Array.isArray(rows) ? rows : []) {
      if (row?.procedureShortId === undefined) continue
      const { id } = row
      const get = () => {
        window.looksAtRows++
        return id
      }
      Object.defineProperty(row, 'id', { enumerable: true, configurable: true, get })
    }
    return parsed
  }`

/** Counts the looks at rows meanwhile: work, not time. */
async function countLooks(page: Page, act: () => Promise<void>): Promise<number> {
  const now = () => page.evaluate(() => Number(Reflect.get(window, 'looksAtRows')))
  const before = await now()
  await act()
  return (await now()) - before
}

async function costsTheSame(page: Page): Promise<void> {
  await readPages(page, 0, WARMED)
  const first = await countLooks(page, () => readPages(page, WARMED * PAGE, MEASURED))
  expectThat(first > 0, 'nobody looked at a row')
  const isNoMore = (looks: number, where: string) =>
    expectThat(
      looks <= first * GROWTH_MAX,
      `${MEASURED} pages looked ${looks} times at rows ${where}, ${first} at first`,
    )
  await readPages(page, (WARMED + MEASURED) * PAGE, READ_BETWEEN)
  const before = (WARMED + MEASURED + READ_BETWEEN) * PAGE
  const later = await countLooks(page, () => readPages(page, before, MEASURED))
  isNoMore(later, `after ${before} rows`)
  await scrollTo(page, ROWS - 20 * PAGE)
  await rowIsRead(page, ROWS - 20 * PAGE + 1)
  const last = await countLooks(page, () => readPages(page, ROWS - 20 * PAGE, MEASURED))
  isNoMore(last, 'at the end')
  console.log(
    `${MEASURED} pages: ${first} looks at rows at first, ${later} after ${before}, ${last} at the end of ${ROWS}`,
  )
  const drawn = await page.locator('tr[aria-rowindex]').count()
  expectThat(drawn <= DRAWN_MAX, `${drawn} rows are in the document`)
}

/** The scroll bar is exact: its end is the last row. Rows that it skips are not read. */
async function goesAnywhere(page: Page, asked: Asked): Promise<void> {
  await scrollTo(page, 0)
  await rowIsRead(page, 1)
  const before = { ...asked }
  // Where the browser takes longer than this for a step, the scroll bar rests, and what is in sight may be read.
  const rests = await page.locator('main section[aria-label^="Processes of"]').evaluate(async frame => {
    let rests = 0
    for (let step = 0; step < 200; step++) {
      const begun = Date.now()
      frame.scrollTop = (frame.scrollHeight * step) / 200
      await new Promise(requestAnimationFrame)
      if (Date.now() - begun > 60) rests++
    }
    return rests
  })
  await scrollTo(page, ROWS)
  await rowIsRead(page, ROWS)
  const [pages, skips] = [asked.pages - before.pages, asked.skips - before.skips]
  expectThat(
    pages <= 90 + 3 * rests && skips <= 40 + rests,
    `dragging the scroll bar to its end asked for ${pages} pages, ${skips} skipped to, with ${rests} rests`,
  )
  const table = page.getByRole('table')
  expectThat(
    (await table.getAttribute('aria-rowcount')) === String(ROWS + 1),
    'the table does not tell how many rows it has',
  )
  const place = await page.locator('tr', { hasText: `ROW-${ROWS}` }).getAttribute('aria-rowindex')
  expectThat(place === String(ROWS + 1), `the last row is told as ${place}`)
}

/** Focus and selection hold while rows come and go. */
async function isUsedByKeys(page: Page): Promise<void> {
  await scrollTo(page, 0)
  await rowIsRead(page, 1)
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  const goes = async (key: string, to: string) => {
    await page.keyboard.press(key)
    await page.waitForFunction(name => document.activeElement?.textContent === name, to)
  }
  await goes('j', 'ROW-1')
  await goes('j', 'ROW-2')
  // More pages than are held at once.
  await readPages(page, 5_000, 32)
  expectThat((await focused()) === 'ROW-2', `the focus was lost to ${await focused()}`)
  await goes('j', 'ROW-3')
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  for (let nth = 4; nth <= 6; nth++) await goes('j', `ROW-${nth}`)
  await page.keyboard.press('Shift+X')
  await page.getByText('4 selected').waitFor()
  await page.keyboard.press('Space')
  await page.getByText('3 selected').waitFor()
  await scrollTo(page, 70_000)
  await rowIsRead(page, 70_001)
  await page.getByLabel('Select row 70001', { exact: true }).click()
  await page.getByLabel('Select row 70006', { exact: true }).click({ modifiers: ['Shift'] })
  await page.getByText('9 selected').waitFor()
  await scrollTo(page, 0)
  await rowIsRead(page, 4)
  expectThat(await page.getByLabel('Select row 4', { exact: true }).isChecked(), 'a selected row is not any more')
  await page.getByRole('button', { name: `Select all ${ROWS.toLocaleString('en-GB')}` }).click()
  await page.getByLabel('Select row 2', { exact: true }).click()
  await page.getByText('99,999: all that match but 1').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
}

async function staysWhereItWas(page: Page): Promise<void> {
  await scrollTo(page, 40_000)
  await rowIsRead(page, 40_001)
  // The scroll position is stored 100 ms later, by a timer of the page: it comes before this one, however busy the
  // machine is.
  await page.evaluate('new Promise(done => setTimeout(done, 300))')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
  await page.goBack()
  await rowIsRead(page, 40_001)
  await page.getByText('Rows 40,001 to').waitFor()
}
