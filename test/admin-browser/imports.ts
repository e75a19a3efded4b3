import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { axeFaults } from '../browser/axe.ts'
import { expectThat } from '../browser/session.ts'
import { buildWorkbook, plainRows } from '../support/workbook.ts'
import { call, lookAround, lookAt, open, type Visit } from './visit.ts'

const ROWS = [
  'Lead id;Name;E-mail;Score;Source;Remark',
  'FILE-1;Asha Rao;asha@example.org;10;website;x',
  'FILE-2;Bo Lind;bo@example.org;a lot;website;y',
  'FILE-3;"Chen; Wei";chen@example.org;12;boat;',
]

const csv = (lines: readonly string[]) => ({
  name: 'leads.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`),
})

/** Another sheet than the first is chosen; its numbers are taken as they are. */
async function checkWorkbook(page: Page): Promise<void> {
  const sheets = {
    Notes: plainRows([['read me'], ['soon']]),
    Leads: plainRows([
      ['Lead id', 'Score'],
      ['BOOK-1', 1234],
    ]),
  }
  await open(page, '/procedure/lead/import')
  const buffer = Buffer.from(await buildWorkbook({ sheets }))
  await page.locator('main input[type="file"]').setInputFiles({ name: 'leads.xlsx', mimeType: '', buffer })
  await page.getByLabel('Sheet').selectOption('Leads')
  await page.getByLabel('Score goes to').waitFor()
  expectThat((await page.getByLabel('Score is written').count()) === 0, 'numbers of a workbook are read in two ways')
  await page.getByRole('button', { name: 'Check the whole file' }).click()
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByText('All rows are imported.').waitFor()
}

/** `drop` drops files of these names; one called `slow.csv` is read when `release` was called. */
const DROPS = `{
  const input = document.querySelector('main input[type="file"]')
  window.drop = (...names) => {
    const dataTransfer = new DataTransfer()
    for (const name of names) dataTransfer.items.add(new File(['lead_id\\n' + name + '\\n'], name))
    input.parentElement.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }))
  }
  const { stream } = Blob.prototype
  const released = new Promise(resolve => { window.release = resolve })
  Blob.prototype.stream = function () {
    if (this.name !== 'slow.csv') return stream.call(this)
    const { readable, writable } = new TransformStream()
    released.then(() => stream.call(this).pipeTo(writable))
    return readable
  }
}`

/** The file that was chosen last is read, however long the one before it takes; two at once are refused. */
async function checkTwoFiles(page: Page): Promise<void> {
  await open(page, '/procedure/lead/import')
  await page.locator('main input[type="file"]').waitFor({ state: 'attached' })
  await page.evaluate(DROPS)
  await page.evaluate("drop('one.csv', 'two.csv')")
  await page.getByText('These are several files').waitFor()
  await page.evaluate("drop('slow.csv'), drop('quick.csv')")
  const file = page.getByRole('region', { name: 'The file quick.csv' })
  await file.waitFor()
  await page.evaluate('release()')
  await page.waitForTimeout(300)
  expectThat(await file.isVisible(), 'a file that was chosen before takes the place of the last one')
}

/** A file is matched to the attributes, checked, imported; what failed is corrected in a file and brought back. */
export async function checkImport(visit: Visit, page: Page): Promise<void> {
  await open(page, '/procedure/lead/import')
  await page.locator('main input[type="file"]').setInputFiles(csv(ROWS))
  await page.getByText('The column "Remark" is no field, and no attribute of lead. Choose where it goes').waitFor()
  await page.getByLabel('Remark goes to').selectOption({ label: 'Ignore' })
  await page.getByText('Ignored: Remark').waitFor()
  await page.getByRole('heading', { name: 'The first rows: 2 of 3 can’t be taken as they are' }).waitFor()
  await page.getByRole('button', { name: 'Check the whole file' }).click()
  await page.getByText('1 of 3 rows can be imported, 2 cannot.').waitFor()
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByRole('heading', { name: '2 rows to correct' }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download these rows' }).click(),
  ])
  const failed = readFileSync(await download.path(), 'utf8')
  expectThat(failed.includes('_status;_error;_hint;_id;_line;Lead id;Name;E-mail;Score;Source;Remark'), failed)
  expectThat(failed.includes('FILE-2') && failed.includes('FILE-3') && !failed.includes('FILE-1'), failed)
  const corrected = failed
    .replace(/^\ufeff/, '')
    .replaceAll('a lot', '11')
    .replaceAll('boat', 'website')
  await page.locator('main input[type="file"]').setInputFiles(csv([corrected.trimEnd()]))
  await page.getByRole('button', { name: 'Check the whole file' }).click()
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByText('All rows are imported.').waitFor()
  await page.getByRole('link', { name: 'See the processes of Lead' }).waitFor()
  await page.locator('main a[href*="/admin/background-job/"]').first().click()
  await page.getByRole('link', { name: 'FILE-2' }).click()
  await page.getByRole('heading', { name: 'FILE-2', level: 1 }).waitFor()

  await checkWorkbook(page)
  await checkTwoFiles(page)
  await checkMendedHere(visit, page)
  await checkMissingKeys(visit, page)
  await open(page, '/procedure/lead/import?mode=upsert')
  const again = ['lead_id,score', 'FILE-1,99', 'FILE-4,5']
  await page.locator('main input[type="file"]').setInputFiles(csv(again))
  await page.getByRole('button', { name: 'Check the whole file' }).click()
  await page.getByRole('button', { name: 'See what changes' }).click()
  await page.getByText('Of 2 entries 1 would be created, 1 changed.').waitFor({ timeout: 30_000 })
  const first = page.getByRole('list', { name: 'The first changes' }).getByRole('listitem').first()
  expectThat(/Changed\s*FILE-1[\s\S]*10[\s\S]*99/.test(await first.innerText()), await first.innerText())
  await lookAround(page, 'import-plan')
  expectThat((await lead(visit, 'FILE-1')).data.score === 10, 'a look at what would change has changed something')
  await page.getByRole('button', { name: 'Import 2 rows' }).last().click()
  await page.getByText('All rows are imported.').waitFor()
  const process = await lead(visit, 'FILE-1')
  expectThat(process.data.score === 99 && process.data.name === 'Asha Rao', JSON.stringify(process.data))

  await open(page, '/procedure/lead/import')
  const byName = ['Lead id,Status', 'FILE-5,New', 'FILE-6,Waiting', 'FILE-7,contacted', 'FILE-5,New', 'FILE-7,New']
  await page.locator('main input[type="file"]').setInputFiles(csv(byName))
  const status = page.getByRole('combobox', { name: 'Status goes to' })
  expectThat((await status.inputValue()) === 'state', 'a column of states is not taken for the state')
  await page.getByText('there is no state "Waiting" (there are NEW, CONTACTED').waitFor()
  await page.getByRole('button', { name: 'Check the whole file' }).click()
  await page.getByText('the same lead_id as line …').waitFor()
  const card = page.getByRole('heading', { name: 'The check' })
  await card.waitFor()
  expectThat(await card.evaluate(each => each.getBoundingClientRect().top < innerHeight), 'the check is out of sight')
  await status.focus()
  await status.selectOption('')
  expectThat(await status.evaluate(each => each === document.activeElement), 'a choice of a column loses the focus')
  await lookAt(visit, page.context(), 'import', '/procedure/lead/import')
  console.log(
    'a file was imported, its failed rows corrected and brought back, and existing processes changed by another',
  )
}

const NASTY = [
  'Lead id;Name;Source;State;Next action',
  'HERE-1;"Bo ""the"" Müller',
  'second line";Website;Contacted;31.12.2026',
  'HERE-2;Émile;boat;NEW;01.02.2027 09:30',
  ';;;;',
  '',
]

/** A file as a spreadsheet of Windows writes it; its failed rows are corrected in the page, and only they are sent again. */
async function checkMendedHere(visit: Visit, page: Page): Promise<void> {
  await open(page, '/procedure/lead/import')
  const buffer = Buffer.from(NASTY.join('\r\n'), 'latin1')
  const file = { name: 'windows.csv', mimeType: 'text/csv', buffer }
  await page.locator('main input[type="file"]').setInputFiles(file)
  await page.getByText('read as Windows-1252').waitFor()
  const written = page.getByLabel('Next action is written')
  expectThat((await written.inputValue()) === 'dayMonthYear', 'the days were not known by their form')
  const before = await axeFaults(page)
  expectThat(before.length === 0, `the first rows: axe finds\n${before.join('\n')}`)
  await page.getByRole('button', { name: 'Check the whole file' }).click()
  await page.getByText('1 of 2 rows can be imported, 1 cannot.').waitFor()
  await page.getByText('1 row has nothing in any of its cells, and is left out').waitFor()
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByRole('heading', { name: 'Correct them here' }).waitFor()
  const faults = await axeFaults(page)
  expectThat(faults.length === 0, `the rows to correct: axe finds\n${faults.join('\n')}`)
  await page.getByLabel('Source, line 4').fill('referral')
  await page.getByText('can be imported').waitFor()
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('button', { name: 'Check them again' }).click()
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByText('All rows are imported.').waitFor()
  const process = await lead(visit, 'HERE-1')
  const { data, state, nextActionAt } = process
  // The visitor is in Asia/Kolkata.
  expectThat(nextActionAt === Date.parse('2026-12-31T00:00:00+05:30'), `next action ${nextActionAt}`)
  expectThat(state === 'CONTACTED' && data.source === 'website', JSON.stringify(process))
  expectThat(data.name === 'Bo "the" Müller\r\nsecond line', JSON.stringify(data.name))
  expectThat((await lead(visit, 'HERE-2')).data.source === 'referral', 'the corrected row was not imported')
}

interface ImportedLead {
  state: string
  nextActionAt: number | null
  data: Record<string, unknown>
}

const lead = (visit: Visit, key: string): Promise<ImportedLead> =>
  call(visit, 'GET', `/v1/ext/procedure/lead/process/lead_id/${key}`)

/** Rows without what names a process can be imported where it is not required, and the check says how many there are. */
async function checkMissingKeys(visit: Visit, page: Page): Promise<void> {
  await call(visit, 'PUT', '/v1/ext/procedure/badge', {
    name: 'Badge',
    states: [{ shortId: 'OUT' }, { shortId: 'BACK' }],
    startState: 'OUT',
    completedState: 'BACK',
    attributes: [
      { shortId: 'badge_no', name: 'Badge number', type: 'string' },
      { shortId: 'guest', name: 'Guest', type: 'name' },
    ],
    primaryKey: 'badge_no',
  })
  await open(page, '/procedure/badge/import')
  await page.locator('main input[type="file"]').setInputFiles(csv(['Badge number;Guest', 'B-1;Asha', ';Bo']))
  await page.getByRole('button', { name: 'Check the whole file' }).click()
  await page.getByText('1 row has no Badge number').waitFor()
  await page.getByRole('button', { name: 'Import 2 rows' }).waitFor()
  await open(page, '/procedure/badge/edit')
  await page.getByText('Badge number is not required: a process without one has no name.').waitFor()
}
