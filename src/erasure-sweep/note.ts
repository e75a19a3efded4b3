import * as z from 'zod'
import { callBucket } from '../bucket-call.ts'
import type { Db } from '../db/client.ts'
import { mayHaveTakenEffect, StorageError } from '../db/storage-error.ts'
import { describeError } from '../describe-error.ts'
import { UUID } from '../ids.ts'
import { createDailyWalk, type MaintenanceTask } from '../maintenance-task.ts'
import type { ChangeOrigin, Scope } from '../scope.ts'
import { TIME_TRAVEL_MS } from '../time-units.ts'

// What was erased for good is noted outside of the database, which may be taken back to before it: a restore then erases it
// again, even where the database that knew of it did not answer any more. A note has ids, and nothing of the person.

const PREFIX = 'erasures/'
/** The metadata of an object have 8,192 bytes at most. */
const IDS_PER_NOTE = 150
const NOTES_PER_LIST = 500
/** R2 removes so many objects in one call. */
const NOTES_PER_STEP = 1_000

const ErasureNote = z.object({
  team: z.int(),
  user: z.object({ id: z.string() }),
  origin: z.custom<ChangeOrigin>(value => typeof value === 'object' && value !== null),
  what: z.enum(['customer', 'customer everywhere', 'process']),
  ids: z.array(z.string().regex(UUID)),
})
export type ErasureNote = z.infer<typeof ErasureNote>

/** The notes of a bucket, kept by their time. */
const keyAt = (time: number): string => `${PREFIX}${new Date(time).toISOString()}`

/**
 * Notes an erasure, and then does it: one that took effect is never without its note. One that was refused loses the note
 * again; where it is not known, the note stays, because the team has asked for it.
 */
export async function withErasureNote<Outcome>(
  bucket: R2Bucket,
  { team, user, origin, now }: Scope,
  { what, ids }: Pick<ErasureNote, 'what' | 'ids'>,
  erase: () => Promise<Outcome>,
): Promise<Outcome> {
  const attempt = crypto.randomUUID()
  const keys: string[] = []
  for (let at = 0; at < ids.length; at += IDS_PER_NOTE) {
    const key = `${keyAt(now)}/${attempt}/${at}`
    const note = { team: team.no, user, origin, what, ids: ids.slice(at, at + IDS_PER_NOTE) }
    await put(bucket, key, note)
    keys.push(key)
  }
  try {
    return await erase()
  } catch (error) {
    if (!mayHaveTakenEffect(error)) await callBucket(() => bucket.delete(keys)).catch(() => {})
    throw error
  }
}

async function put(bucket: R2Bucket, key: string, note: ErasureNote): Promise<void> {
  try {
    await callBucket(() => bucket.put(key, null, { customMetadata: { note: JSON.stringify(note) } }))
  } catch (error) {
    throw new StorageError(`the erasure could not be noted: ${describeError(error)}`, true, error)
  }
}

export interface NotePage {
  notes: ErasureNote[]
  /** The keys of objects that are no notes. */
  unreadable: string[]
  /** Null after the last one. */
  next: string | null
}

/** The next notes, from older to newer. */
export async function listErasureNotes(bucket: R2Bucket, after: string | null): Promise<NotePage> {
  const { objects, truncated } = await callBucket(() =>
    bucket.list({
      prefix: PREFIX,
      limit: NOTES_PER_LIST,
      include: ['customMetadata'],
      ...(after === null ? {} : { startAfter: after }),
    }),
  )
  const read = objects.map(({ key, customMetadata }) => ({ key, note: parseNote(customMetadata?.note) }))
  return {
    notes: read.flatMap(({ note }) => note ?? []),
    unreadable: read.flatMap(({ key, note }) => (note ? [] : [key])),
    next: truncated ? (objects.at(-1)?.key ?? null) : null,
  }
}

function parseNote(text = ''): ErasureNote | undefined {
  try {
    return ErasureNote.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Removes notes of erasures that no restore can undo any more, once a day: the oldest come first. */
export const createErasureNoteExpiryTask = (bucket: R2Bucket, db: () => Db, now: number): MaintenanceTask =>
  createDailyWalk({ name: 'expire notes of erasures', db, now }, async () => {
    const { objects } = await callBucket(() => bucket.list({ prefix: PREFIX, limit: NOTES_PER_STEP }))
    const keys = objects.map(({ key }) => key).filter(key => key < keyAt(now - TIME_TRAVEL_MS))
    if (keys.length > 0) await callBucket(() => bucket.delete(keys))
    return { done: keys.length, next: keys.length === NOTES_PER_STEP ? PREFIX : null }
  })
