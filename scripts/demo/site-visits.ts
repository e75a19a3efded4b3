import { DAY_MS, HOUR_MS } from '../../src/time-units.ts'
import { isoDate } from './calendar.ts'
import { byPerson, byWebsite, type Company, isOver, later, userId } from './company.ts'
import type { Customer } from './customers.ts'
import type { DemoProcess } from './log.ts'
import { AGENTS } from './people.ts'

const PURPOSES = { survey: 55, installation: 28, repair: 17 } as const
type Purpose = keyof typeof PURPOSES

const RESULTS: Readonly<Record<Purpose, readonly string[]>> = {
  survey: [
    'Roof is fine: 14 panels facing south.',
    'Two trees to be cut first.',
    'Structure holds; photos are in the folder.',
  ],
  installation: ['Installed and running: 4.9 kW at noon.', 'Panels are up; the meter comes next week.'],
  repair: ['Connector replaced, yield is normal.', 'Inverter exchanged.', 'Rail tightened after the storm.'],
}
const SLOTS = ['morning', 'afternoon', 'evening'] as const
/** The slots begin at these hours, in UTC. */
const SLOT_HOURS = { morning: 4, afternoon: 8, evening: 11 } as const

let made = 0

/** Makes a visit to a customer some days after it was planned, with its result. */
export function makeSiteVisit(company: Company, customer: Customer, at: number): void {
  const { log, procedures, random } = company
  const purpose = random.weighted(PURPOSES)
  const { name, phone_number, city } = customer.data
  const visit = plan(company, at)
  const agent = random.pick(AGENTS)
  const body = {
    assignedTo: userId(company, agent),
    nextActionAt: visit.at,
    data: {
      visit_id: `SV-${30_001 + made++}`,
      purpose,
      name,
      phone_number,
      city,
      address: `${random.whole(1, 240)} ${random.pick(customer.place.streets)}, ${city}`,
      place: [customer.latitude, customer.longitude],
      ...visit.data,
    },
  }
  const [one] = log.create(byPerson(company, random.pick(AGENTS), at), procedures.site_visit, [{ customer, body }])
  if (one) follow(company, one, { agent, purpose, planned: at, visitAt: visit.at })
}

function plan(company: Company, after: number) {
  const slot = company.random.pick(SLOTS)
  const day = later(company, after, [2, 12])
  const at = day - (day % DAY_MS) + SLOT_HOURS[slot] * HOUR_MS
  return { at, data: { day: isoDate(at), slot } }
}

interface PlannedVisit {
  agent: (typeof AGENTS)[number]
  purpose: Purpose
  planned: number
  visitAt: number
}

function follow(company: Company, one: DemoProcess, { agent, purpose, planned, visitAt }: PlannedVisit): void {
  const { log, random } = company
  const confirmedAt = Math.min(later(company, planned, [0.3, 1.5]), visitAt - 2 * HOUR_MS)
  const isConfirmed = random.chance(0.85) && confirmedAt > planned
  if (isConfirmed && isOver(company, confirmedAt))
    log.update(byWebsite(company, confirmedAt), one, { state: 'CONFIRMED' })
  const leftAt = visitAt - random.whole(20, 80) * 60_000
  if (!isOver(company, visitAt + 3 * HOUR_MS) || random.chance(0.02)) return
  if (isConfirmed) log.update(byPerson(company, agent, leftAt), one, { state: 'ON_THE_WAY' })
  const endedAt = visitAt + random.whole(20, 170) * 60_000
  if (random.chance(0.88)) {
    const data = { result: random.pick(RESULTS[purpose]) }
    log.update(byPerson(company, agent, endedAt), one, { status: 'COMPLETED', nextActionAt: null, data })
    return
  }
  log.update(byPerson(company, agent, endedAt), one, { state: 'NOBODY_HOME' })
  const replannedAt = later(company, endedAt, [0.2, 2])
  if (!isOver(company, replannedAt)) return
  if (random.chance(0.25)) {
    log.update(byPerson(company, agent, replannedAt), one, { status: 'CANCELLED', nextActionAt: null })
    return
  }
  const next = plan(company, replannedAt)
  log.update(byPerson(company, agent, replannedAt), one, { state: 'PLANNED', nextActionAt: next.at, data: next.data })
  const visitedAt = next.at + 2 * HOUR_MS
  if (!isOver(company, visitedAt)) return
  const data = { result: random.pick(RESULTS[purpose]) }
  log.update(byPerson(company, agent, visitedAt), one, { status: 'COMPLETED', nextActionAt: null, data })
}
