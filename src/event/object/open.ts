import { retryBucketCall } from '../../bucket-call.ts'
import { createCache } from '../../cache.ts'
import { damagedError, isDamaged } from '../../damaged-object.ts'
import type { Db } from '../../db/client.ts'
import { StorageError } from '../../db/storage-error.ts'
import { decodeObject, type ObjectRows } from './format.ts'
import { type EventMember, findMember, type ParsedRow, parseRow } from './members.ts'
import { type EventObject, isWithdrawn, rangePrefix, selectObjectsBack, toObjectKey } from './statements.ts'

const DAMAGED = 'the history of that time'
const READING = { callMsMax: 10_000, pauseMs: 100, failure: 'the older history cannot be read' }

/** The bytes of uncompressed R2 objects that an isolate caches. The object of a key never changes. */
const CACHE_BYTES_MAX = 16_000_000
const opened = createCache<OpenedObject & { size: number }>(CACHE_BYTES_MAX, ({ size }) => size)

type Bucket = Pick<R2Bucket, 'get' | 'list'>

/** The rows of an R2 object. */
export interface OpenedObject extends ObjectRows {
  /** Returns undefined if no row has this number. Throws `storage_damaged`. */
  parse: (sequence: number) => ParsedRow | undefined
}

const WITHDRAWN: OpenedObject = {
  sequences: [],
  read: () => undefined,
  bytes: () => new Uint8Array(),
  parse: () => undefined,
}

/** Returns undefined if the R2 object is not there. Throws a `StorageError` if R2 fails, and `storage_damaged` if it cannot be read. */
export async function openObject(bucket: Bucket, object: EventObject): Promise<OpenedObject | undefined> {
  if (isWithdrawn(object)) return WITHDRAWN
  const key = toObjectKey(object)
  const known = opened.get(key)
  if (known) return known
  const stored = (await getStored(bucket, key)) ?? (await getReplacement(bucket, object))
  if (!stored) return undefined
  const rows = await decodeObject(stored.bytes).catch((error: unknown) => {
    throw damagedError(DAMAGED, stored.key, error)
  })
  const parse = (sequence: number) => {
    try {
      const row = rows.read(sequence)
      return row && parseRow(row)
    } catch (error) {
      throw damagedError(DAMAGED, stored.key, error)
    }
  }
  opened.set(key, { ...rows, parse })
  return { ...rows, parse }
}

/** Makes rows that throw when they are read. A walk through the log still learns where the R2 object begins, and may pass it over. */
function toDamagedRows(error: unknown): OpenedObject {
  if (!isDamaged(error)) throw error
  const refuse = () => {
    throw error
  }
  return { sequences: [], read: refuse, bytes: refuse, parse: refuse }
}

interface StoredObject {
  key: string
  bytes: Uint8Array
}

/** Finds the successor of an R2 object that a row of a restored database names, if it was written anew since. */
async function getReplacement(bucket: Bucket, object: EventObject): Promise<StoredObject | undefined> {
  const { objects } = await retryBucketCall(READING, () => bucket.list({ prefix: rangePrefix(object) }))
  const [newest] = objects.toSorted((one, other) => other.uploaded.getTime() - one.uploaded.getTime())
  return newest && (await getStored(bucket, newest.key))
}

const getStored = (bucket: Bucket, key: string): Promise<StoredObject | undefined> =>
  retryBucketCall(READING, async () => {
    const object = await bucket.get(key)
    if (object === null) return undefined
    const bytes = new Uint8Array(await object.arrayBuffer())
    // A read that broke off does not mean that the stored object is damaged.
    if (bytes.byteLength !== object.size) throw new Error(`${bytes.byteLength} of ${object.size} bytes have come`)
    return { key, bytes }
  })

/** The part of a team's log that was moved to objects, read for one request or step. */
export interface MovedLog {
  /** The number of R2 objects that were opened so far. */
  opened: number
  /** Whether an event is known to be in an R2 object, without a read. */
  isKnown: (sequence: number) => boolean
  /** Finds the R2 object that has an event; undefined if it has expired or never was. */
  find: (sequence: number) => Promise<MovedRows | undefined>
}

export interface MovedRows extends Pick<EventObject, 'first' | 'last'> {
  /** Reads an event of a process or customer; undefined if its row has expired. Throws `storage_damaged`. */
  readMember: (sequence: number, rid: string) => EventMember | undefined
}

export function openMovedLog(bucket: Bucket, { db, team }: { db: Db; team: { no: number } }): MovedLog {
  let listed: EventObject[] = []
  let current: { no: number; rows: MovedRows } | undefined
  /** No R2 object has an event up to this number: the log begins after it. */
  let goneTo = 0
  const findListed = (sequence: number) => listed.find(each => each.first <= sequence && each.last >= sequence)
  const list = async (sequence: number) => {
    const [found] = await db.reconnect().read(selectObjectsBack(team.no, sequence))
    listed = found
    const object = findListed(sequence)
    // Events before the first R2 object have expired.
    if (!object) goneTo = Math.max(goneTo, sequence, (found.at(-1)?.first ?? 0) - 1)
    return object
  }
  const load = async (object: EventObject): Promise<MovedRows> => {
    if (current?.no === object.no) return current.rows
    log.opened++
    const rows = await openObject(bucket, object).catch(toDamagedRows)
    if (!rows) throw new StorageError(`there is no object ${toObjectKey(object)}`, true)
    current = { no: object.no, rows: readRows(object, rows) }
    return current.rows
  }
  const log: MovedLog = {
    opened: 0,
    isKnown: sequence => findListed(sequence) !== undefined,
    async find(sequence) {
      if (sequence <= goneTo) return undefined
      const object = findListed(sequence) ?? (await list(sequence))
      if (!object) return undefined
      return load(object).catch(async (error: unknown) => {
        // Since it was listed, the R2 object has expired, or an erasure has written it anew.
        const now = await list(sequence)
        if (now?.no === object.no) throw error
        return now && load(now)
      })
    },
  }
  return log
}

/** Rows of a job's step have events of many processes, so the last parsed row is cached. */
function readRows({ first, last, keptFrom }: EventObject, rows: OpenedObject): MovedRows {
  let parsed: ParsedRow | undefined
  return {
    first,
    last,
    readMember(sequence, rid) {
      if (parsed?.row.sequence !== sequence) {
        const found = rows.parse(sequence)
        if (!found || found.row.at < keptFrom) return undefined
        parsed = found
      }
      return findMember(parsed, rid)
    },
  }
}
