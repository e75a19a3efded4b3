import type { UpdateProcess } from '../../src/process/schema.ts'
import { DAY_MS, HOUR_MS } from '../../src/time-units.ts'
import { isoDate } from './calendar.ts'
import { byJob, byPerson, byWebsite, type Company, isOver, later, userId } from './company.ts'
import type { Customer } from './customers.ts'
import type { Creation, DemoProcess } from './log.ts'
import { AGENTS, MANAGERS } from './people.ts'

const SOURCES = { website: 38, referral: 17, trade_fair: 11, partner: 14, walk_in: 6 } as const
const PRODUCTS = { rooftop_3kw: 46, rooftop_5kw: 33, rooftop_10kw: 14, commercial: 7 } as const
/** The size of a roof, in small roofs. */
const SIZE = { rooftop_3kw: 1, rooftop_5kw: 1.5, rooftop_10kw: 2.7, commercial: 9 } as const
const LOST_BECAUSE = { price: 34, no_response: 29, competitor: 17, postponed: 13, roof_unsuitable: 7 } as const
const INTERESTS = ['battery', 'ev_charger', 'maintenance', 'financing'] as const
const NOTES = [
  'Wants the panels on before the monsoon.',
  'Compares with two other offers. Price matters less than the guarantee.',
  'Flat roof, some shade from the neighbour in the afternoon.',
  'Asked for a call after 6 pm only.',
  'Pays about 90 a month for power; hopes for half of that.',
  'Housing society has to agree first. Next meeting at the end of the month.',
  'Has an electric car, charges at night.',
  'Referred by a colleague who is happy with us.',
  'Needs a loan over five years.',
  'Tin roof: structure to be checked at the survey.',
]

/**
 * The fates of a hundred processes in each state, and the days that they take. The remaining ones stay there for now.
 */
const MOVES: Readonly<Record<OpenState, Moves>> = {
  NEW: { days: [0.2, 2], next: { CONTACTED: 93, LOST: 5, stays: 2 } },
  CONTACTED: { days: [1, 7], next: { QUALIFIED: 62, LOST: 34, stays: 4 } },
  QUALIFIED: { days: [2, 9], next: { OFFER_SENT: 78, LOST: 19, stays: 3 } },
  OFFER_SENT: { days: [3, 14], next: { NEGOTIATION: 42, WON: 22, LOST: 32, stays: 4 } },
  NEGOTIATION: { days: [3, 16], next: { WON: 58, LOST: 26, OFFER_SENT: 12, stays: 4 } },
}
type OpenState = 'NEW' | 'CONTACTED' | 'QUALIFIED' | 'OFFER_SENT' | 'NEGOTIATION'
type Move = OpenState | 'WON' | 'LOST' | 'stays'
interface Moves {
  days: readonly [number, number]
  next: Readonly<Partial<Record<Move, number>>>
}

let made = 0

function newEnquiry(company: Company, customer: Customer, source: string): Creation {
  const { random } = company
  const product = random.weighted(PRODUCTS)
  const [least, most] = customer.place.price
  const amount = Math.round((least + random.fraction() * (most - least) * 0.3) * SIZE[product] * 100) * 10
  const interests = INTERESTS.filter(() => random.chance(0.3))
  return {
    customer,
    body: {
      data: {
        enquiry_id: `ENQ-${10_001 + made++}`,
        ...customer.data,
        source,
        product,
        score: random.whole(20, 75),
        amount,
        currency: customer.place.currency,
        ...(interests.length > 0 ? { interests } : {}),
        ...(random.chance(0.35) ? { notes: random.pick(NOTES) } : {}),
      },
    },
  }
}

/** Leads of a campaign come as a file, in a job. */
export function importCampaign(company: Company, customers: readonly Customer[], at: number): DemoProcess[] {
  const { log, procedures, random } = company
  const creations = customers.map(customer => newEnquiry(company, customer, 'campaign'))
  const all = log.create(byJob(company, random.pick(MANAGERS), at), procedures.enquiry, creations)
  for (const each of all) follow(company, each, at)
  return all
}

/** Makes an enquiry from the website, or by an employee. */
export function makeEnquiry(company: Company, customer: Customer, at: number): DemoProcess {
  const { log, procedures, random } = company
  const source = random.weighted(SOURCES)
  const by = source === 'website' ? byWebsite(company, at) : byPerson(company, random.pick(AGENTS), at)
  const [one] = log.create(by, procedures.enquiry, [newEnquiry(company, customer, source)])
  if (!one) throw new Error('an enquiry was not made')
  follow(company, one, at)
  return one
}

/** Continues a process until today. */
function follow(company: Company, one: DemoProcess, createdAt: number): void {
  const { log, random } = company
  const agent = random.pick(AGENTS)
  let at = later(company, createdAt, [0.05, 1])
  if (!isOver(company, at)) return
  const isNamed = random.chance(0.93)
  let nextAt = later(company, at, MOVES.NEW.days)
  const assignment = isNamed ? { assignedTo: userId(company, agent) } : {}
  log.update(byPerson(company, random.pick(MANAGERS), at), one, { ...assignment, nextActionAt: nextAt })
  let state: OpenState = 'NEW'
  let score = Number(one.item.set.score)
  for (;;) {
    at = nextAt + random.whole(0, 9) * HOUR_MS
    const move: Move = random.weighted<Move>(MOVES[state].next)
    if (move === 'stays' || !isOver(company, at)) return
    score = Math.min(100, Math.max(1, score + random.whole(move === 'LOST' ? -20 : -4, move === 'LOST' ? 0 : 12)))
    const ending = move === 'WON' || move === 'LOST'
    nextAt = ending ? at : later(company, at, MOVES[move].days)
    log.update(byPerson(company, agent, at), one, changeTo(company, one, move, { at, nextAt, score }))
    if (ending) return
    state = move
  }
}

function changeTo(
  { random }: Company,
  { item }: DemoProcess,
  state: OpenState | 'WON' | 'LOST',
  { at, nextAt, score }: { at: number; nextAt: number; score: number },
): UpdateProcess {
  const offered = Math.round((Number(item.set.amount) * random.whole(88, 104)) / 1000) * 10
  if (state === 'WON') return { status: 'COMPLETED', nextActionAt: null, data: { score, amount: offered } }
  if (state === 'LOST') {
    const data = { score, lost_reason: random.weighted(LOST_BECAUSE) }
    return { state, status: 'CANCELLED', nextActionAt: null, data }
  }
  const expected = isoDate(at + random.whole(10, 45) * DAY_MS)
  const data = {
    score,
    ...(state === 'OFFER_SENT' ? { amount: offered, expected_close: expected } : {}),
    ...(random.chance(0.15) ? { notes: random.pick(NOTES) } : {}),
  }
  return { state, nextActionAt: nextAt, data }
}
