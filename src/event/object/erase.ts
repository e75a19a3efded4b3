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

/** What an erasure makes of one event; both are changed in place. */
type EraseMember = (row: ObjectRow, after: Record<string, unknown>, before: unknown[] | undefined) => void

/** Where the log has values of a process or a customer: their last event with some. */
interface ErasedPointer {
  rid: number
  from: number
}

/** What one object has of some processes or customers, erased: one step. */
export interface ObjectErasure {
  /** Go together with what notes where each has come to. */
  effect: readonly Statement[]
  /** Where each goes on; null: there is nothing before. */
  next: { rid: number; event: number | null }[]
  /** To be called when the transaction is through. It never fails: what stays is removed within two days. */
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
  // What is before the first object was removed for its age.
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

/** Whatever is older. Where that is none of the events that are looked for, the object before is looked through. */
const before = ({ first }: EventObject): number | null => (first > 1 ? first - 1 : null)

interface ParsedRows {
  read: (sequence: number) => ParsedRow | undefined
  /** The last row up to a number that has an event of a process or customer. */
  findLast: (key: string, from: number) => number | undefined
  listChanged: () => Map<number, ObjectRow>
}

/** Rows of a job's step have events of many processes: each is parsed once. */
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
      return named.get(key)?.findLast(sequence => sequence <= from && read(sequence)?.after[key])
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

/** The rows that may have an event of each process or customer, found by one pass however many are looked for. */
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

/** The event before those in the object, or null. */
function eraseChain(
  object: EventObject,
  rows: ParsedRows,
  { rid, from }: ErasedPointer,
  erase: EraseMember,
): number | null {
  const key = String(rid)
  // Behind an object that was not there, nothing says which event is the next one.
  const start = rows.read(from)?.after[key] ? from : rows.findLast(key, from)
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

/** A customer's values go, after and before each change, and the names of the attributes. `eraseRecordValues` says the same in SQL. */
export const eraseRecordMember: EraseMember = (_, after, before) => {
  delete after.set
  delete after.unset
  if (before && before.length > 3) before.splice(3, 1)
}

const KEPT_MEMBERS = new Set(['id', 'entry', 'version', 'last'])

/** Of a process likewise, as `eraseProcessValues` does. */
export const eraseProcessMember: EraseMember = (_, after, before) => {
  for (const name of Object.keys(after)) if (!KEPT_MEMBERS.has(name)) delete after[name]
  if (before && before.length > 4) before[4] = {}
  if (before && before.length > 5) before[5] = []
}
