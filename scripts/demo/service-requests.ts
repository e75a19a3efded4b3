import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/time-units.ts'
import { byPerson, byWebsite, type Company, isOver, later, userId } from './company.ts'
import type { Customer } from './customers.ts'
import type { DemoProcess } from './log.ts'
import { AGENTS, MANAGERS } from './people.ts'

const CATEGORIES = { inverter: 31, app: 22, panels: 16, billing: 14, battery: 11, other: 6 } as const
type Category = keyof typeof CATEGORIES

const SUBJECTS: Readonly<Record<Category, readonly string[]>> = {
  inverter: [
    'Inverter shows error E-17',
    'Inverter is silent since the storm',
    'Inverter hums at noon',
    'Inverter switches off every evening at six',
  ],
  panels: [
    'Yield fell by a third',
    'One panel is cracked',
    'Water below the mounting rail',
    'Birds nest under the panels',
  ],
  battery: ['Battery does not charge beyond 60 %', 'Battery is hot to the touch', 'Battery is not found by the app'],
  app: [
    'App shows yesterday only',
    'Cannot sign in after changing the phone',
    'Numbers of the app and the meter differ',
  ],
  billing: [
    'Invoice has the old address',
    'Subsidy was not deducted',
    'Paid twice in September',
    'Receipt for the tax office',
  ],
  other: ['Wants to add four panels', 'Moves house: what about the contract?'],
}
const RESOLUTIONS: Readonly<Record<Category, readonly string[]>> = {
  inverter: ['Firmware 4.2 installed from afar.', 'Unit exchanged under guarantee.', 'Loose connector at string 2.'],
  panels: ['Panels cleaned; yield is back.', 'Cracked panel replaced.', 'Rail sealed again.'],
  battery: ['Battery calibrated.', 'Fan replaced.', 'Paired again with the inverter.'],
  app: [
    'Account moved to the new number.',
    'Meter was read with the wrong factor; corrected.',
    'Update of the app helped.',
  ],
  billing: ['Invoice corrected and sent again.', 'Refund made.', 'Receipt sent by e-mail.'],
  other: ['Offer made.', 'Explained the clause about moving.'],
}
const PRIORITIES = { 1: 6, 2: 21, 3: 52, 4: 21 } as const
/** Within which it is to be solved. */
const DUE_DAYS = { 1: 1, 2: 3, 3: 7, 4: 14 } as const

let made = 0

/** A request of a customer who has a roof of ours, and what happens to it until today. */
export function makeServiceRequest(company: Company, customer: Customer, at: number): void {
  const { log, procedures, random } = company
  const category = random.weighted(CATEGORIES)
  const priority = Number(random.weighted(PRIORITIES)) as keyof typeof DUE_DAYS
  const { name, phone_number, city } = customer.data
  const by = random.chance(0.4) ? byWebsite(company, at) : byPerson(company, random.pick(AGENTS), at)
  const body = {
    data: {
      request_id: 20_001 + made++,
      subject: random.pick(SUBJECTS[category]),
      category,
      priority,
      name,
      phone_number,
      city,
      due: at + DUE_DAYS[priority] * DAY_MS,
      ...(category === 'inverter' || category === 'battery' ? { serial_number: serialNumber(company) } : {}),
    },
  }
  const [one] = log.create(by, procedures.service_request, [{ customer, body }])
  if (one) follow(company, one, { at, category, priority })
}

const serialNumber = ({ random }: Company): string =>
  `SN-${random.pick(['HX', 'KT', 'QM'])}${random.whole(100_000, 999_999)}`

interface RequestDraft {
  at: number
  category: Category
  priority: keyof typeof DUE_DAYS
}

function follow(company: Company, one: DemoProcess, { at: openedAt, category, priority }: RequestDraft): void {
  const { log, random } = company
  const agent = random.pick(AGENTS)
  let at = openedAt + random.whole(4, 60 * 5) * MINUTE_MS
  // Some are forgotten, and become overdue.
  if (!isOver(company, at) || random.chance(0.01)) return
  const nextActionAt = later(company, at, [0.1, DUE_DAYS[priority] * 0.6])
  const assigned = { state: 'ASSIGNED', assignedTo: userId(company, agent), nextActionAt }
  log.update(byPerson(company, random.pick(MANAGERS), at), one, assigned)
  at = nextActionAt
  for (const detour of detours(company, priority)) {
    const until = later(company, at, detour === 'WAITING' ? [0.5, 6] : [0.1, 1])
    if (!isOver(company, at) || !isOver(company, until)) {
      if (isOver(company, at)) log.update(byPerson(company, agent, at), one, { state: detour, nextActionAt: until })
      return
    }
    log.update(byPerson(company, agent, at), one, { state: detour, nextActionAt: until })
    log.update(byPerson(company, agent, until), one, { state: 'ASSIGNED', nextActionAt: until + 8 * HOUR_MS })
    at = later(company, until, [0.1, 2])
  }
  if (!isOver(company, at) || random.chance(0.02)) return
  const resolution = random.pick(RESOLUTIONS[category])
  log.update(byPerson(company, agent, at), one, { status: 'COMPLETED', nextActionAt: null, data: { resolution } })
  rate(company, one, at)
}

const detours = ({ random }: Company, priority: number): string[] => [
  ...(random.chance(0.35) ? ['WAITING'] : []),
  ...(random.chance(priority === 1 ? 0.4 : 0.07) ? ['ESCALATED'] : []),
]

const RATINGS = { 5: 44, 4: 31, 3: 13, 2: 7, 1: 5 } as const

/** Half of the customers say how it was; a few of the others come back. */
function rate(company: Company, one: DemoProcess, solvedAt: number): void {
  const { log, random } = company
  const at = later(company, solvedAt, [0.5, 3])
  if (!isOver(company, at)) return
  if (random.chance(0.04)) {
    const nextActionAt = later(company, at, [0.5, 2])
    log.update(byPerson(company, random.pick(MANAGERS), at), one, { state: 'ASSIGNED', status: 'OPEN', nextActionAt })
  } else if (random.chance(0.5))
    log.update(byWebsite(company, at), one, { data: { satisfaction: Number(random.weighted(RATINGS)) } })
}
