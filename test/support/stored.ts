import { toStoredData } from '../../src/db/document/json.ts'
import { readCreatedAt } from '../../src/ids.ts'
import type { Procedure, Slot } from '../../src/procedure/model.ts'
import { parseListed } from '../../src/process/view.ts'
import type { ProcessPage } from './list-page.ts'

/** A process as a test has it in mind, before any of our code has touched it. */
export interface Known {
  rid: number
  id: string
  status: 'OPEN' | 'COMPLETED' | 'CANCELLED'
  state: string
  assignedTo: string | null
  nextActionAt: number | null
  updatedAt: number
  /** The row number of its customer. */
  record: number | null
  data: Record<string, unknown>
}

const STATUS_NUMBERS = { CANCELLED: 1, COMPLETED: 2, OPEN: 3 }
const ROWS_PER_STATEMENT = 500

/** The UUIDv7 that leads to a row number. */
export function toId(rid: number): string {
  const time = readCreatedAt(rid).toString(16).padStart(12, '0')
  const tail = (rid % 4096).toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail}-8000-${(rid % 2 ** 40).toString(16).padStart(12, '0')}`
}

/** Stores a procedure's row: what a list needs of it is its version. */
export async function storeProcedure(db: D1Database, procedure: Procedure, team = 1): Promise<void> {
  await db
    .prepare(
      `INSERT OR REPLACE INTO procedure (no, id, team, short_id, version, definition, created_at, updated_at) VALUES (?, ?, ?, ?, ?, jsonb('{}'), 0, 0)`,
    )
    .bind(procedure.no, procedure.id, team, procedure.shortId, procedure.version)
    .run()
}

/** A customer as the operations store one, in all that a filter looks at. */
export interface Customer {
  rid: number
  id: string
  phone: string
  email: string
}

export const storeCustomers = (db: D1Database, customers: readonly Customer[], team = 1): Promise<unknown> =>
  db.batch(
    customers.flatMap(({ rid, id, phone, email }) => [
      db
        .prepare(`INSERT INTO record (rid, id, team, data, created_at, updated_at) VALUES (?, ?, ?, jsonb('{}'), 0, 0)`)
        .bind(rid, id, team),
      db.prepare('INSERT INTO record_identity VALUES (?1, 1, ?2, ?4), (?1, 2, ?3, ?4)').bind(team, phone, email, rid),
    ]),
  )

/** Stores processes as the operations would, the columns of slots that are not ready filled with something wrong. */
export async function storeProcesses(db: D1Database, procedure: Procedure, known: Known[]): Promise<void> {
  const slots = Object.entries(procedure.slots)
  const columns = slots.map(([, { column }]) => `, s${column}`).join('')
  const values = slots.map((_, index) => `, value->>'$.slots[${index}]'`).join('')
  const sql = `INSERT INTO process (rid, id, proc, team, status, state, assigned_to, next_action_at, updated_at, record, primary_key, data${columns})
    SELECT value->>'rid', value->>'id', ?2, 1, value->>'status', value->>'state', value->>'assignedTo', value->>'nextActionAt',
      value->>'updatedAt', value->>'record', value->>'primaryKey', jsonb(value->'data')${values} FROM json_each(?1)`
  for (let start = 0; start < known.length; start += ROWS_PER_STATEMENT) {
    const rows = known.slice(start, start + ROWS_PER_STATEMENT).map(each => {
      const primaryKey = procedure.primaryKey === null ? undefined : own(each.data, procedure.primaryKey)
      return {
        ...each,
        status: STATUS_NUMBERS[each.status],
        data: toStoredData(each.data),
        primaryKey: primaryKey === undefined ? null : String(primaryKey),
        slots: slots.map(([name, slot]) => columnValue(slot, each.rid, own(each.data, name))),
      }
    })
    await db.prepare(sql).bind(JSON.stringify(rows), procedure.no).run()
  }
  for (const [name, slot] of slots) {
    if (!slot.ready || slot.listPath === undefined) continue
    const elements = known.flatMap(({ rid, data }) => {
      const entered = isByOldCode(slot, rid) ? [] : elementsIn(own(data, name))
      return [...entered, ...staleElements(rid)].map(value => [value, rid])
    })
    await db
      .prepare(
        `INSERT INTO process_value (proc, slot, value, rid, team)
          SELECT ?2, ?3, value->>0, value->>1, 1 FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING`,
      )
      .bind(JSON.stringify(elements), procedure.no, slot.column)
      .run()
  }
}

function columnValue(slot: Slot, rid: number, value: unknown): unknown {
  if (!slot.ready) return 'not ready'
  if (slot.listPath === undefined) return slotValue(value)
  return value !== undefined && isByOldCode(slot, rid) ? JSON.stringify(value) : null
}

/** Returns whether a list is stored by old code that does not know elements: in the column, and in no index. */
const isByOldCode = ({ column }: Slot, rid: number): boolean => column % 3 === 0 && rid % 11 === 0

const elementsIn = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : [value]).filter(each => typeof each === 'string' || typeof each === 'number')

/** Entries that such code has not removed. */
const staleElements = (rid: number): unknown[] => (rid % 3 === 0 ? ['a', 'stale', 105] : [])

const own = (data: Record<string, unknown>, key: string): unknown => (Object.hasOwn(data, key) ? data[key] : undefined)

function slotValue(value: unknown): unknown {
  if (value === undefined) return null
  return typeof value === 'boolean' ? Number(value) : value
}

/** The ids of a page's processes, in its order. */
export const idsIn = ({ rows }: ProcessPage): string[] => rows.map(row => parseListed(row).id)
