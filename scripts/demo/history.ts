import { updateIdentityAttributes } from '../../src/customer-record/identity-rules.ts'
import { insertIdentities } from '../../src/customer-record/identity-statements.ts'
import { listIdentityValues } from '../../src/customer-record/identity-values.ts'
import { insertRecords } from '../../src/customer-record/store.ts'
import type { Db } from '../../src/db/client.ts'
import type { Statement } from '../../src/db/statement.ts'
import { write } from '../../src/db/write.ts'
import { toRowNo } from '../../src/ids.ts'
import type { Team } from '../../src/scope.ts'
import { DAY_MS, HOUR_MS } from '../../src/time-units.ts'
import { workingTime } from './calendar.ts'
import { byJob, byPerson, type Company, customerAt, isOver } from './company.ts'
import { type Customer, draftCustomers } from './customers.ts'
import { importCampaign, makeEnquiry } from './enquiries.ts'
import { type DemoProcess, newLog } from './log.ts'
import { makeServiceRequest } from './service-requests.ts'
import { makeSiteVisit } from './site-visits.ts'

/** The age of the demo's history. */
export const PAST_DAYS = 120
const CUSTOMERS = 1_700
/** Customers come from another system, once a week. */
const WEEKS = Math.floor(PAST_DAYS / 7)
const COUNTS = { enquiries: 1_250, requests: 950, visits: 520, campaigns: 5, ofCampaign: 60 }
/** The company grows: recent weeks have more to do than the first ones. */
const GROWTH = 0.72

/** Writes what the demo team did in the past months: all of it, or nothing. */
export async function writeHistory(
  db: Db,
  { team, ...known }: Pick<Company, 'procedures' | 'users' | 'keys' | 'now'> & { team: Team },
  random: Company['random'],
): Promise<number> {
  const log = newLog(db, team)
  const company: Company = { ...known, log, random }
  const start = company.now - PAST_DAYS * DAY_MS
  const customers = addCustomers(company, start)
  const time = () => workingTime(random, start + random.fraction() ** GROWTH * (PAST_DAYS - 0.5) * DAY_MS, [0, 0.3])
  const times = (count: number) => Array.from({ length: count }, time).filter(at => isOver(company, at))
  const enquiries = importCampaigns(company, customers, start)
  for (const at of times(COUNTS.enquiries)) enquiries.push(makeEnquiry(company, customerAt(company, customers, at), at))
  for (const at of times(COUNTS.requests)) makeServiceRequest(company, customerAt(company, customers, at), at)
  for (const at of times(COUNTS.visits)) makeSiteVisit(company, customerAt(company, customers, at), at)
  scoreByJobs(company, enquiries, start)
  removeSome(company, enquiries)
  const effect = log.statements()
  const results = await write({ db, idempotency: null }, { effect, outcome: null })
  // Only statements for a deleted process may have no effect.
  const missed = results.findIndex(({ changes }, nth) => changes === 0 && !isDeletion(effect[nth]))
  if (missed !== -1)
    throw new Error(`the demo's history: a statement changed nothing: ${effect[missed]?.compile().text}`)
  return effect.length
}

const isDeletion = (statement: Statement | undefined): boolean => /^DELETE/.test(statement?.compile().text ?? '')

function addCustomers({ log, random, users, keys, now }: Company, start: number): Customer[] {
  const drafts = draftCustomers(random, CUSTOMERS)
  const customers: Customer[] = []
  for (let week = 0; week < WEEKS; week++) {
    const at = start + week * 7 * DAY_MS + random.whole(1, 50)
    const last = Math.ceil((CUSTOMERS * (week + 2)) / (WEEKS + 1))
    if (at > now) break
    const some = drafts.slice(customers.length, last).map((draft): Customer => {
      const id = log.freeId(at)
      return { ...draft, id, rid: toRowNo(id), since: at }
    })
    customers.push(...some)
    const scope = log.toScope({
      at,
      user: users.get('admin') ?? '',
      origin: { apiKey: keys.app, request: log.freeId(at) },
    })
    log.add(at, () => [
      insertRecords(
        scope,
        some.map(({ rid, id, data }) => ({ rid, id, last: updateIdentityAttributes(data), set: data })),
      ),
      insertIdentities(
        scope,
        some.flatMap(({ rid, data }) => listIdentityValues(data).map(value => ({ ...value, record: rid }))),
      ),
    ])
  }
  return customers
}

function importCampaigns(company: Company, customers: readonly Customer[], start: number): DemoProcess[] {
  const gap = (PAST_DAYS * DAY_MS) / COUNTS.campaigns
  return Array.from({ length: COUNTS.campaigns }, (_, nth) => {
    const at = start + nth * gap + 4 * HOUR_MS
    const some = Array.from({ length: COUNTS.ofCampaign }, () => customerAt(company, customers, at))
    return importCampaign(company, [...new Set(some)], at)
  }).flat()
}

/** Every second Monday the scores of what came in before are made anew: of that nobody's history is short. */
function scoreByJobs(company: Company, enquiries: readonly DemoProcess[], start: number): void {
  const { log, random, procedures } = company
  for (let at = start + 20 * DAY_MS; at < company.now - 31 * DAY_MS; at += 14 * DAY_MS) {
    const recent = enquiries.filter(({ item }) => item.updatedAt < at && item.updatedAt > at - 21 * DAY_MS)
    const some = recent.filter(() => random.chance(0.6))
    log.updateMany(
      byJob(company, 'priya', at),
      procedures.enquiry,
      some.map(one => [one, { data: { score: random.whole(15, 95) } }] as const),
    )
  }
}

/** A few came twice, and were deleted in the last minutes, when nothing else happens to them. */
function removeSome(company: Company, enquiries: readonly DemoProcess[]): void {
  for (let nth = 40; nth < enquiries.length; nth += 170) {
    const one = enquiries[nth]
    if (!one) continue
    company.log.remove(byPerson(company, 'stefan', company.now - company.random.whole(1, 9) * 60_000), one)
  }
}
