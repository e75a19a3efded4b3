import { callBucket } from '../../bucket-call.ts'
import { isDamaged } from '../../damaged-object.ts'
import type { Db } from '../../db/client.ts'
import type { Statement } from '../../db/statement.ts'
import { StorageError } from '../../db/storage-error.ts'
import { encodeObject, type ObjectRow, type ObjectRows } from './format.ts'
import type { ParsedRow } from './members.ts'
import { type OpenedObject, openObject } from './open.ts'
import { removeUnnamed } from './remove.ts'
import {
  type EventObject,
  newObjectNo,
  selectObjectsBack,
  switchObject,
  toObjectKey,
  withdrawObject,
} from './statements.ts'

export type ErasureBucket = Pick<R2Bucket, 'get' | 'list' | 'put' | 'delete'>

/** Erases one event, in place. */
type EraseMember = (row: ObjectRow, after: Record<string, unknown>, before: unknown[] | undefined) => void

/** The last event that has values of a process or a customer. */
interface ErasedPointer {
  rid: number
  from: number
}

/** One step of an erasure: an R2 object rewritten without the values of some processes or customers. */
export interface ObjectErasure {
  /** The statements that name the new R2 object. They go into the transaction that stores `next`. */
  effect: readonly Statement[]
  /** The event at which each process or customer goes on; null if there is nothing before. */
  next: { rid: number; event: number | null }[]
  /** Removes the old R2 object after the transaction. It never fails: what stays is removed within two days. */
  removeFormer: () => Promise<void>
}

/**
 * Erases what the object that has an event has of some processes or customers who lead to events in it: the object is written
 * under another key, and its row is switched. One that is not there stops nobody: the search goes on before it. So it does
 * before one that is damaged, of which nobody knows whose values are in it: all of that goes.
 */
export async function eraseInObject(
  bucket: ErasureBucket,
  db: () => Db,
  { team, sequence, pointers }: { team: number; sequence: number; pointers: readonly ErasedPointer[] },
  erase: EraseMember,
): Promise<ObjectErasure> {
  const [[object]] = await db().read(selectObjectsBack(team, sequence))
  const nothing = { effect: [], removeFormer: () => Promise.resolve() }
  // Events before the first R2 object were removed for their age.
  if (!object || object.first > sequence) return { ...nothing, next: pointers.map(({ rid }) => ({ rid, event: null })) }
  const inObject = pointers.filter(({ from }) => from >= object.first && from <= object.last)
  const passed = inObject.map(({ rid }) => ({ rid, event: before(object) }))
  try {
    const stored = await openObject(bucket, object)
    if (!stored) return { ...nothing, next: passed }
    const rows = parseOnce(stored)
    const next = inObject.map(pointer => ({ rid: pointer.rid, event: eraseChain(object, rows, pointer, erase) }))
    const changed = rows.listChanged()
    return changed.size === 0 ? { ...nothing, next } : { ...(await writeAnew(bucket, object, stored, changed)), next }
  } catch (error) {
    if (!isDamaged(error)) throw error
    const removeFormer = () => removeUnnamed(bucket, [toObjectKey(object)])
    return { effect: withdrawObject(object), next: passed, removeFormer }
  }
}

/** Returns the number at which the search goes on before an R2 object; null if it is the first. No event of the customer needs to have it. */
const before = ({ first }: EventObject): number | null => (first > 1 ? first - 1 : null)

interface ParsedRows {
  read: (sequence: number) => ParsedRow | undefined
  /** The last row up to a number that has an event of the chain of a process or customer. */
  findLast: (key: string, from: number) => number | undefined
  listChanged: () => Map<number, ObjectRow>
}

/** A time that comes is no change: its event is in no chain, and leads to none before it. */
const isInChain = (found: ParsedRow | undefined, key: string): boolean =>
  found?.after[key] !== undefined && found.row.type !== 'process.next_action_due'

/** Rows of a job's step have events of many processes, so each row is parsed once. */
function parseOnce(stored: OpenedObject): ParsedRows {
  let named: Map<string, number[]> | undefined
  const parsed = new Map<number, ParsedRow | undefined>()
  const read = (sequence: number): ParsedRow | undefined => {
    if (!parsed.has(sequence)) parsed.set(sequence, stored.parse(sequence))
    return parsed.get(sequence)
  }
  return {
    read,
    findLast(key, from) {
      named ??= listNamed(stored)
      return named.get(key)?.findLast(sequence => sequence <= from && isInChain(read(sequence), key))
    },
    listChanged: () =>
      new Map(
        [...parsed.values()].flatMap(each => {
          if (!each) return []
          const row = {
            ...each.row,
            after: JSON.stringify(each.after),
            before: each.row.before && JSON.stringify(each.before),
          }
          const isSame = row.after === each.row.after && row.before === each.row.before
          return isSame ? [] : [[row.sequence, row] as const]
        }),
      ),
  }
}

const decoder = new TextDecoder()

/** Finds the rows that may have an event of each process or customer, in one pass over the R2 object. */
function listNamed(stored: ObjectRows): Map<string, number[]> {
  const named = new Map<string, number[]>()
  for (const sequence of stored.sequences)
    for (const [, key = ''] of decoder.decode(stored.bytes(sequence)).matchAll(/"(\d+)":/g)) {
      const rows = named.get(key)
      if (!rows) named.set(key, [sequence])
      else if (rows.at(-1) !== sequence) rows.push(sequence)
    }
  return named
}

/** Returns the number of the event before those in the R2 object, or null. */
function eraseChain(
  object: EventObject,
  rows: ParsedRows,
  { rid, from }: ErasedPointer,
  erase: EraseMember,
): number | null {
  const key = String(rid)
  // After an R2 object that was not there, nothing says which event is the next one.
  const start = isInChain(rows.read(from), key) ? from : rows.findLast(key, from)
  if (start === undefined) return before(object)
  for (let at: number | null = start; at !== null; ) {
    if (at < object.first) return at
    const found = rows.read(at)
    const after = found?.after[key] as Record<string, unknown> | undefined
    if (!found || !after) return before(object)
    const replaced = found.before[key] as unknown[] | undefined
    erase(found.row, after, replaced)
    at = ((replaced?.[1] ?? after.last) as number | null | undefined) ?? null
  }
  return null
}

async function writeAnew(
  bucket: ErasureBucket,
  object: EventObject,
  rows: ObjectRows,
  changed: ReadonlyMap<number, ObjectRow>,
): Promise<Pick<ObjectErasure, 'effect' | 'removeFormer'>> {
  const written = { ...object, no: newObjectNo() }
  const bytes = await encodeObject(
    rows.sequences.map(sequence => changed.get(sequence) ?? { sequence, line: rows.bytes(sequence) }),
  )
  try {
    await callBucket(() => bucket.put(toObjectKey(written), bytes))
  } catch (error) {
    throw new StorageError('the older history cannot be written', true, error)
  }
  return {
    effect: switchObject(object, { no: written.no, bytes: bytes.byteLength }),
    removeFormer: () => removeUnnamed(bucket, [toObjectKey(object)]),
  }
}

/** Erases a customer's values, after and before each change, and the names of the attributes. `eraseRecordValues` does the same in SQL. */
export const eraseRecordMember: EraseMember = (_, after, before) => {
  delete after.set
  delete after.unset
  if (before && before.length > 3) before.splice(3, 1)
}

const KEPT_MEMBERS = new Set(['id', 'entry', 'version', 'last'])

/** Erases a process likewise, as `eraseProcessValues` does in SQL. */
export const eraseProcessMember: EraseMember = (_, after, before) => {
  for (const name of Object.keys(after)) if (!KEPT_MEMBERS.has(name)) delete after[name]
  if (before && before.length > 4) before[4] = {}
  if (before && before.length > 5) before[5] = []
}
