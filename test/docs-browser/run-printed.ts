import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expectThat, NARROW, opened, type Session } from '../browser/session.ts'
import { ONLY_IN_PAGES } from '../support/only-in-pages.ts'
import { expectFits } from './look-at-pages.ts'
import { withRealIds } from './with-real-ids.ts'

/**
 * The statuses of printed requests that fail on a fresh start: nothing can be cancelled, and nothing is signed. All
 * others succeed.
 */
const OTHERWISE: Record<string, number> = {
  cancelJob: 409,
  retryJob: 409,
  undoJob: 409,
  applyJob: 409,
  resendMessage: 409,
  downloadMessageMedia: 404,
  getMedia: 404,
  removeOptOut: 404,
  receiveWebhook: 401,
  verifyWebhook: 403,
  // The id of the other customer is unknown.
  mergeRecord: 400,
  ...ONLY_IN_PAGES,
  // The demo team has events that are older than those that the feed keeps.
  listEvents: 410,
  replayWebhook: 410,
}

/** The beginning of ids in the document's examples. */
const MADE_UP = '01935c1e-5a00-7'
/**
 * The operations that the page skips, because a fresh start has no object of them: jobs, messages, media, webhooks,
 * views.
 */
const HAS_NONE =
  /^(delete|endSession|merge|remove|revoke|rotate|restore|erase|getMedia$|receiveWebhook$)|Job|^(get|resend)Message$|^downloadMessage|^(get|update|test|replay)Webhook$|WebhookDeliveries|^(get|update)SavedView$|^getRequest$/

/**
 * Loads each operation's page, which fits a narrow screen with all that is folded up open, and runs its curl command. With a token, the page itself has put the team's own ids in place of
 * those that are made up; what is to be deleted, and what a fresh start does not have, is put in here.
 */
export async function runPrinted(session: Session, operations: readonly string[]): Promise<void> {
  const { running } = session
  const page = await opened(session, NARROW)
  await page.goto(`${running.url}/docs`)
  await page.evaluate(token => sessionStorage.setItem('token', token), running.token)
  const printed: [id: string, command: string][] = []
  for (const href of operations) {
    await page.goto(running.url + href)
    await page.locator('form.try:not([aria-busy])').waitFor()
    printed.push(
      await page.evaluate((): [string, string] => [
        document.querySelector<HTMLElement>('form.try')?.dataset.operation ?? '',
        document.querySelector('.panel code')?.textContent ?? '',
      ]),
    )
    await expectFits(page, `${href}, ${NARROW.width} pixels`)
  }
  await page.close()
  const madeUp = printed.filter(([id, command]) => command.includes(MADE_UP) && !HAS_NONE.test(id))
  expectThat(madeUp.length === 0, `with a token, made-up ids are left in ${madeUp.map(([id]) => id).join(', ')}`)
  const elsewhere = printed.filter(([, command]) => !command.includes(running.url))
  expectThat(elsewhere.length === 0, `no request to this installation: ${elsewhere.map(([id]) => id).join(', ')}`)
  const folder = mkdtempSync(path.join(tmpdir(), 'caseworker-printed-'))
  writeFileSync(path.join(folder, 'offer.pdf'), '%PDF-1.7\n')
  const env = { ...process.env, API: running.url, TOKEN: running.token }
  const options = { env, cwd: folder, encoding: 'utf8', timeout: 30_000 } as const
  const isEnd = (id: string) => /^(delete|revoke|erase)/.test(id)
  for (const [id, command] of [...printed].sort(([a], [b]) => Number(isEnd(a)) - Number(isEnd(b)))) {
    const known = await withRealIds(running, id, command)
    const said = execFileSync('bash', ['-c', `${known} -w '\n%{http_code}'`], options)
    const status = Number(said.slice(said.lastIndexOf('\n')))
    expectThat(status < 300 || status === OTHERWISE[id], `${id} as printed:\n${known}\n${said}`)
  }
  rmSync(folder, { recursive: true })
  console.log(
    `${printed.length} pages of operations fit ${NARROW.width} pixels; their printed requests run, ${printed.length - Object.keys(OTHERWISE).length} of them went well`,
  )
}
