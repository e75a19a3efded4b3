import { retryBucketCall } from '../../bucket-call.ts'
import { createCache } from '../../cache.ts'
import type { Db } from '../../db/client.ts'
import { StorageError } from '../../db/storage-error.ts'
import { decodeObject, type ObjectRows } from './format.ts'
import { type EventMember, findMember, type ParsedRow, parseRow } from './members.ts'
import { type EventObject, rangePrefix, selectObjectsBack, toObjectKey } from './statements.ts'

const READING = { callMsMax: 10_000, pauseMs: 100, failure: 'the older history cannot be read' }

/** What an isolate remembers of objects, uncompressed: what is under a key never changes. */
const CACHE_BYTES_MAX = 16_000_000
const opened = createCache<ObjectRows & { size: number }>(CACHE_BYTES_MAX, ({ size }) => size)

type Bucket = Pick<R2Bucket, 'get' | 'list'>

/** The rows of an object; undefined: it is not there. Throws a `StorageError` where R2 fails. */
export async function openObject(bucket: Bucket, object: EventObject): Promise<ObjectRows | undefined> {
  const key = toObjectKey(object)
  const known = opened.get(key)
  if (known) return known
  const stored = (await getBytes(bucket, key)) ?? (await getReplacement(bucket, object))
  if (!stored) return undefined
  const rows = await decodeObject(stored)
  opened.set(key, rows)
  return rows
}

/** After a restore of the database, a row may name an object that was written anew since, and is gone. */
async function getReplacement(bucket: Bucket, object: EventObject): Promise<Uint8Array | undefined> {
  const { objects } = await retryBucketCall(READING, () => bucket.list({ prefix: rangePrefix(object) }))
  const [newest] = objects.toSorted((one, other) => other.uploaded.getTime() - one.uploaded.getTime())
  return newest && (await getBytes(bucket, newest.key))
}

const getBytes = (bucket: Bucket, key: string): Promise<Uint8Array | undefined> =>
  retryBucketCall(READING, async () => {
    const object = await bucket.get(key)
    return object === null ? undefined : new Uint8Array(await object.arrayBuffer())
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
  /** An event of a process or customer. Undefined if its row has expired, too. */
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
    const rows = await openObject(bucket, object)
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
function readRows({ first, last, keptFrom }: EventObject, rows: ObjectRows): MovedRows {
  let parsed: ParsedRow | undefined
  return {
    ...{ first, last },
    readMember(sequence, rid) {
      if (parsed?.row.sequence !== sequence) {
        const row = rows.read(sequence)
        if (!row || row.at < keptFrom) return undefined
        parsed = parseRow(row)
      }
      return findMember(parsed, rid)
    },
  }
}
