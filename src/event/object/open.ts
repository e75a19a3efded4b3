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

/** What an isolate remembers of objects, uncompressed: what is under a key never changes. */
const CACHE_BYTES_MAX = 16_000_000
const opened = createCache<OpenedObject & { size: number }>(CACHE_BYTES_MAX, ({ size }) => size)

type Bucket = Pick<R2Bucket, 'get' | 'list'>

/** The rows of an object. */
export interface OpenedObject extends ObjectRows {
  /** A row with what it holds; undefined: no row has this number. Throws `storage_damaged`. */
  parse: (sequence: number) => ParsedRow | undefined
}

const WITHDRAWN: OpenedObject = {
  sequences: [],
  read: () => undefined,
  bytes: () => new Uint8Array(),
  parse: () => undefined,
}

/** Undefined: it is not there. Throws a `StorageError` where R2 fails, and `storage_damaged` where it cannot be read. */
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

/** Whoever walks through the log is told where the object begins, which it may pass over. */
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

/** After a restore of the database, a row may name an object that was written anew since, and is gone. */
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
    // A reading that broke off says nothing about what is stored.
    if (bytes.byteLength !== object.size) throw new Error(`${bytes.byteLength} of ${object.size} bytes have come`)
    return { key, bytes }
  })

/** The part of a team's log that was moved to objects, read for one request or step. */
export interface MovedLog {
  /** How many objects were opened for it so far. */
  opened: number
  /** Whether it is known already that an event is in an object. */
  isKnown: (sequence: number) => boolean
  /** The object that has an event; undefined: none has it, because it has expired or never was. */
  find: (sequence: number) => Promise<MovedRows | undefined>
}

export interface MovedRows extends Pick<EventObject, 'first' | 'last'> {
  /** An event of a process or customer. Undefined if its row has expired, too. Throws `storage_damaged`. */
  readMember: (sequence: number, rid: string) => EventMember | undefined
}

export function openMovedLog(bucket: Bucket, { db, team }: { db: Db; team: { no: number } }): MovedLog {
  let listed: EventObject[] = []
  let current: { no: number; rows: MovedRows } | undefined
  /** Up to here no object has anything: the log begins behind it. */
  let goneTo = 0
  const findListed = (sequence: number) => listed.find(each => each.first <= sequence && each.last >= sequence)
  const list = async (sequence: number) => {
    const [found] = await db.reconnect().read(selectObjectsBack(team.no, sequence))
    listed = found
    const object = findListed(sequence)
    // What is before the first object has expired.
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
        // Since it was listed it has expired, or an erasure has written it anew.
        const now = await list(sequence)
        if (now?.no === object.no) throw error
        return now && load(now)
      })
    },
  }
  return log
}

/** Rows of a job's step have events of many processes, so the last one is kept as it was parsed. */
function readRows({ first, last, keptFrom }: EventObject, rows: OpenedObject): MovedRows {
  let parsed: ParsedRow | undefined
  return {
    ...{ first, last },
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
