import { toData } from '../../db/document/json.ts'
import { viewAuthor } from '../../event/author.ts'
import { readCreatedAt } from '../../ids.ts'
import { getVersionAfter, listFieldChanges, listRecordNos } from '../rows/changes.ts'
import type { RecordSnapshot, SnapshotOrigin } from './load-snapshot.ts'
import { isTooLong } from './read-log.ts'
import type { Blame, BlameByField } from './schema.ts'
import type { ProcessEvent, RecordEvent } from './snapshot.ts'
import { listRecordEventChanges } from './view.ts'

const FIELDS = ['status', 'state', 'nextActionAt', 'assignedTo', 'record']

/** Reads the next event; undefined if there is none, or it is not kept or further back than one request may go. */
async function readNext<Event>(earlier: AsyncGenerator<Event, void>): Promise<Event | undefined> {
  try {
    return (await earlier.next()).value ?? undefined
  } catch (error) {
    if (isTooLong(error)) return undefined
    throw error
  }
}

/** Finds the change that gave each field its value. */
export async function findFieldAuthors(state: SnapshotOrigin, record: RecordSnapshot | null): Promise<BlameByField> {
  const { blame, versions } = await findProcessFieldAuthors(state)
  const ofRecord = record ? await findRecordFieldAuthors(record, { attached: blame.record ?? null, versions }) : {}
  return { ...blame, ...ofRecord }
}

/** A version, and the row of the log that made it; of the oldest one that is known: 0. */
interface LoggedVersion {
  row: number
  version: number
}

async function findProcessFieldAuthors({ process, madeBy, earlier }: SnapshotOrigin) {
  const versions: LoggedVersion[] = []
  const data = toData(Object.fromEntries(process.data))
  const blame = new Map<string, Blame | null>(
    [...FIELDS, ...Object.keys(data).map(name => `data.${name}`)].map(field => [field, null]),
  )
  const unknown = new Set(blame.keys())
  const isCreatedBy = (change: Blame): void => {
    for (const field of unknown) blame.set(field, change)
    unknown.clear()
  }
  let oldest = process.row.version
  for (let event = madeBy; event && unknown.size > 0; event = await readNext(earlier)) {
    versions.push({ row: event.row, version: getVersionAfter(event) })
    if (event.type === 'process.created') isCreatedBy(toBlame(event))
    else
      for (const field of [...fieldsChanged(event), ...(isGivenBy(event, process.record) ? ['record'] : [])]) {
        if (unknown.delete(field)) blame.set(field, toBlame(event))
      }
    oldest = event.before?.version ?? oldest
  }
  // Nothing was changed before the log begins, so the process has what it was created with.
  const { rid, createdBy } = process.row
  if (oldest === 1)
    isCreatedBy({ version: 1, at: readCreatedAt(rid), by: viewAuthor(createdBy ? { user: createdBy } : {}) })
  versions.push({ row: 0, version: oldest })
  return { blame: Object.fromEntries(blame) as BlameByField, versions }
}

interface Attachment {
  /** The change that gave the process this customer. */
  attached: Blame | null
  versions: readonly LoggedVersion[]
}

/** Finds the change of the customer that gave each shown value. A version of the process had none before it had the customer. */
async function findRecordFieldAuthors(
  { row, madeBy, earlier }: RecordSnapshot,
  { attached, versions }: Attachment,
): Promise<BlameByField> {
  const names = Object.keys(toData(row.data)).map(name => `record.${name}`)
  const blame = new Map<string, Blame | null>(names.map(name => [name, null]))
  const unknown = new Set(names)
  const versionAt = (event: RecordEvent): number =>
    Math.max(versions.find(each => each.row < event.row)?.version ?? 1, attached?.version ?? 1)
  let oldest = row.version
  for (let event = madeBy; event && unknown.size > 0; event = await readNext(earlier)) {
    for (const { field } of listRecordEventChanges(event))
      if (unknown.delete(field))
        blame.set(field, { version: versionAt(event), at: event.at, by: viewAuthor(event.by, event.after.entry) })
    oldest = event.before?.version ?? oldest
  }
  // A customer has no event of its creation. That of the process stands for it, if the customer was made for this process.
  if (oldest === 1 && attached?.at === row.createdAt) for (const field of unknown) blame.set(field, attached)
  return Object.fromEntries(blame)
}

/** Decides whether a restore gave the process its customer, into whom the one of before was merged. */
const isGivenBy = ({ type, after }: ProcessEvent, record: number | null): boolean =>
  type === 'process.restored' && record !== null && after.record !== undefined && after.record !== record

const toBlame = (event: ProcessEvent): Blame => ({
  version: getVersionAfter(event),
  at: event.at,
  by: viewAuthor(event.by, event.after.entry),
})

function fieldsChanged({ after, before }: ProcessEvent): string[] {
  if (before === undefined) return []
  const records = new Map(listRecordNos(after, before).map(rid => [rid, String(rid)]))
  return listFieldChanges(after, before, records).map(({ field }) => field)
}
