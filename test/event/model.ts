import type { Random } from '../support/random.ts'

// A model of a team's state after random changes, by rules that fit on a page; and the changes. Those of one round
// touch different processes and customers, so that their result is known, whoever was faster.

export interface Lead {
  id: string
  key: string
  data: Record<string, unknown>
  status: string
  state: string
  customer: Customer | null
  version: number
  isDeleted: boolean
}

export interface Customer {
  /** Empty until it was looked up. */
  id: string
  phone: string
  data: Record<string, unknown>
  isErased: boolean
}

export interface Body {
  data: Record<string, unknown>
  status?: string
  state?: string
  record?: { data: Record<string, unknown> }
}

export type Change =
  | { do: 'create' | 'upsert'; key: string; body: Body }
  | { do: 'update'; key: string; body: Body }
  | { do: 'delete'; key: string }
  | { do: 'restore'; key: string; id: string }

/** The result of a change. `id` is the response's name for a new process. */
export type Result = 'made' | 'changed' | 'refused'

export class Model {
  leads: Lead[] = []
  customers: Customer[] = []

  alive = (key: string): Lead | undefined => this.leads.find(lead => lead.key === key && !lead.isDeleted)
  known = (phone: string): Customer | undefined => this.customers.find(each => each.phone === phone && !each.isErased)

  /** `id`: of the process that the change made. */
  apply(change: Change, id: string): Result {
    const lead = this.alive(change.key)
    if (change.do === 'restore') {
      const deleted = this.leads.find(each => each.id === change.id)
      if (!deleted?.isDeleted || lead) return 'refused'
      Object.assign(deleted, { isDeleted: false, version: deleted.version + 1 })
      return 'changed'
    }
    if (change.do === 'create' || (change.do === 'upsert' && !lead)) {
      if (lead) return 'refused'
      const made = { id, key: change.key, data: {}, status: 'OPEN', state: 'NEW', version: 0 }
      this.leads.push(this.#changed({ ...made, customer: null, isDeleted: false }, change.body))
      return 'made'
    }
    if (!lead) return 'refused'
    if (change.do === 'delete') lead.isDeleted = true
    else Object.assign(lead, this.#changed(lead, change.body))
    return 'changed'
  }

  #changed(lead: Lead, { data, status, state, record }: Body): Lead {
    const customer = record ? this.merge(String(record.data.phone), record.data) : lead.customer
    const moved = state ?? (status === 'COMPLETED' ? 'WON' : lead.state)
    const changed = { data: merged(lead.data, data), status: status ?? lead.status, state: moved }
    return { ...lead, ...changed, customer, version: lead.version + 1 }
  }

  merge(phone: string, data: Record<string, unknown>): Customer {
    const known = this.known(phone)
    const customer = known ?? { id: '', phone, data: {}, isErased: false }
    if (!known) this.customers.push(customer)
    customer.data = merged(customer.data, data)
    return customer
  }

  erase(customer: Customer): void {
    customer.isErased = true
    for (const lead of this.leads) if (lead.customer === customer) lead.customer = null
  }
}

const merged = (before: Record<string, unknown>, data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...before, ...data }).filter(([, value]) => value !== null))

const CITIES = ['Goa', 'Pune', 'Ulm']
const NAMES = ['name', 'city', 'odd"name', '7']

export const randomValues = (random: Random, name: string): Record<string, unknown> =>
  Object.fromEntries(
    NAMES.filter(() => random.chance(0.5)).map(each => [
      each,
      random.chance(0.25) ? null : `${name} ${random.whole(1, 9)}`,
    ]),
  )

function randomBody(random: Random, key: string, phone: string | undefined): Body {
  const body: Body = { data: { lead_id: key } }
  if (random.chance(0.7)) body.data.city = random.chance(0.2) ? null : random.pick(CITIES)
  if (random.chance(0.5)) body.data.score = random.chance(0.2) ? null : random.whole(0, 9)
  if (random.chance(0.4)) body.data['odd"name'] = random.pick([null, 'x', [1, { a: null }], true])
  if (random.chance(0.3)) body.status = random.pick(['OPEN', 'COMPLETED', 'CANCELLED'])
  if (random.chance(0.3)) body.state = random.pick(['NEW', 'BUSY', 'WON'])
  if (phone !== undefined) body.record = { data: { phone, ...randomValues(random, phone) } }
  return body
}

/** Any change of the process with a key; `isEntry`: of those that a job can have. */
export function randomChange(
  random: Random,
  { leads }: Model,
  { key, phone, isEntry }: { key: string; phone: string | undefined; isEntry: boolean },
): Change {
  const deleted = leads.filter(lead => lead.key === key && lead.isDeleted)
  if (!isEntry && deleted.length > 0 && random.chance(0.3)) return { do: 'restore', key, id: random.pick(deleted).id }
  const kinds = isEntry ? (['create', 'update', 'update', 'delete'] as const) : KINDS
  const kind = random.pick(kinds)
  if (kind === 'delete') return { do: kind, key }
  const sent = random.chance(0.6) && kind !== 'update' ? phone : undefined
  return { do: kind, key, body: randomBody(random, key, sent) }
}

const KINDS = ['create', 'upsert', 'upsert', 'update', 'update', 'update', 'delete', 'delete'] as const
export const randomCity = (random: Random): string => random.pick(CITIES)
