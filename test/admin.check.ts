import { chromium as engine } from 'playwright-core'
import { checkAccount } from './admin-browser/account.ts'
import { checkApiKeys } from './admin-browser/api-keys.ts'
import { checkCustomer } from './admin-browser/customers.ts'
import { checkDeliveries } from './admin-browser/deliveries.ts'
import { checkFirstView } from './admin-browser/first-view.ts'
import { checkFrame } from './admin-browser/frame.ts'
import { checkImport } from './admin-browser/imports.ts'
import { checkJobs } from './admin-browser/jobs.ts'
import { checkLongList } from './admin-browser/long-lists.ts'
import { checkMessages } from './admin-browser/messages.ts'
import { checkOpenId } from './admin-browser/openid.ts'
import { checkOperations } from './admin-browser/operations.ts'
import { checkOutages } from './admin-browser/outages.ts'
import { checkOverview } from './admin-browser/overview.ts'
import { checkPageActions } from './admin-browser/page-actions.ts'
import { checkPlugins } from './admin-browser/plugins.ts'
import { checkProcedures } from './admin-browser/procedures.ts'
import { checkProcessLists } from './admin-browser/process-lists.ts'
import { checkProcess } from './admin-browser/processes.ts'
import { checkReach } from './admin-browser/reach.ts'
import { checkSend } from './admin-browser/send.ts'
import { checkSessionEnd, checkSessions } from './admin-browser/sessions.ts'
import { checkPasskeys, checkUsers } from './admin-browser/users.ts'
import { lookAt, newVisitor, signIn, type Visit } from './admin-browser/visit.ts'
import { checkWays } from './admin-browser/ways.ts'
import { expectThat } from './browser/session.ts'
import { startOpenIdServer } from './support/openid-server.ts'
import { chromium, freePort, startServer } from './support/started.ts'

/** The jobs for which the pages exist, done by a signed-in person. */
const JOBS = [
  checkFrame,
  // A receiver's response is not kept for a minute after an erasure, which later jobs make.
  checkOperations,
  checkOverview,
  checkProcessLists,
  checkLongList,
  checkProcess,
  checkImport,
  checkCustomer,
  checkPlugins,
  checkMessages,
  checkSend,
  checkApiKeys,
  checkUsers,
  checkPasskeys,
  checkOutages,
  checkProcedures,
  checkDeliveries,
  checkJobs,
  checkPageActions,
  checkAccount,
  checkWays,
  checkReach,
]

/** Each page by the name of its pictures. */
const PAGES: readonly [name: string, address: string][] = [
  ['overview', '/'],
  ['processes', '/procedure/lead/process?where={"status":"OPEN"}'],
  ['board', '/procedure/ticket/board'],
  ['messages', '/message'],
  ['opt-outs', '/opt-out'],
  ['send', '/procedure/enquiry/send?where=%7B%22state%22%3A%22OFFER_SENT%22%7D'],
  ['jobs', '/background-job'],
  ['plugins', '/plugin'],
  ['api-keys', '/api-key'],
  ['webhooks', '/webhook'],
  ['procedures', '/procedure'],
  ['procedure', '/procedure/enquiry'],
  ['new-procedure', '/procedure/new'],
  ['change-procedure', '/procedure/enquiry/edit'],
  ['event-log', '/event'],
  ['users', '/user'],
  ['requests', '/request'],
  ['usage', '/usage'],
  ['account', '/me'],
  ['sessions', '/session'],
]

// The admin area in a real browser, against a fresh `npm start`. With names of jobs, only these are done: `Import Send`.
const only = process.argv.slice(2)
const chosen = JOBS.filter(({ name }) => only.length === 0 || only.includes(name.replace('check', '')))
const executablePath = chromium()
if (executablePath === undefined) console.log('no chromium on this machine: the admin area was not looked at')
else await look(executablePath)

async function look(path: string): Promise<void> {
  const port = await freePort()
  const provider = await startOpenIdServer([`http://localhost:${port}`])
  const settings = { OPENID_ISSUER: provider.issuer, OPENID_CLIENT_ID: 'caseworker', OPENID_NAME: 'Example ID' }
  const running = await startServer({ settings, port })
  const browser = await engine.launch({ executablePath: path, args: ['--no-sandbox', '--disable-gpu'] })
  const visit: Visit = { browser, running, faults: [], beside: [] }
  try {
    if (only.length === 0) {
      await checkSessions(visit)
      await checkSessionEnd(visit)
      await checkOpenId(visit, provider)
      await checkFirstView(visit)
    }
    const context = await newVisitor(visit)
    const page = await signIn(visit, context)
    for (const job of chosen) await job(visit, page)
    for (const [name, address] of only.length === 0 ? PAGES : []) await lookAt(visit, context, name, address)
    if (only.length === 0)
      console.log(`${PAGES.length} pages fit two widths, can be read in both themes; axe finds no fault`)
    await Promise.all(visit.beside)
    expectThat(visit.faults.length === 0, `errors, or what the security policy refused:\n${visit.faults.join('\n')}`)
  } finally {
    await browser.close()
    await running.stop()
    await provider.stop()
  }
}
