import { permitEntry, readItem, requireItems } from '../../background-job/accept/body.ts'
import type { JobRequest } from '../../background-job/accept/request.ts'
import { type Entry, quoteRefused, toFailure } from '../../background-job/entry.ts'
import { collectTargets, encodeColumns } from '../../background-job/sender-columns.ts'
import { reportFaults } from '../../errors.ts'
import type { ImportMode } from '../../import-file/columns.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { CONFIRMATION_MEMBERS } from './confirmation.ts'
import { listEntryTargets, markJson } from './entry-cells.ts'
import type { ItemBody } from './item-body.ts'
import { undeclaredInItems } from './item-names.ts'
import { PERMISSIONS_OF_KINDS } from './kinds.ts'
import { type ReadEntry, readCreateItem, readUpdateItem, readUpsertItem } from './read-item.ts'
import { PROCESSES, type ProcessEntryKind } from './schema.ts'
import { draftTitle } from './title.ts'
import { type BulkEntries, readUpdateWhere } from './where.ts'

/** All entries of a request share these: a suggestion takes up to half a millisecond. */
const SUGGESTIONS_PER_REQUEST_MAX = 1_000

/** Makes entries of what was read; all of one request share its suggestions. */
function createEntryReader(): (read: ReadEntry) => Entry {
  const budget = { left: SUGGESTIONS_PER_REQUEST_MAX }
  return ({ apiType, apiData, faults }) => {
    if (faults.length === 0) return { apiType, apiData }
    const reported = reportFaults(quoteRefused(faults), budget)
    return { apiType, apiData, invalid: toFailure({ code: 'invalid_request', faults: reported }) }
  }
}

/**
 * A list of items with their updates, or one update for all that match a `where`. Items are accepted as they come in; a
 * `where` or an `update` that follows the list refuses the request then.
 */
export async function readUpdates(
  scope: Scope,
  procedure: Procedure,
  body: ItemBody,
  request: JobRequest,
): Promise<BulkEntries> {
  await body.begin()
  if (isByWhere(body)) return readUpdateWhere(scope, procedure, body, request)
  const names = undeclaredInItems(procedure)
  const targets = collectTargets()
  const title = draftTitle(procedure, 'PROCESS_UPDATE')
  const entries = async function* () {
    const readEntry = createEntryReader()
    let index = 0
    for await (const item of body.items(procedure, 'update'))
      yield readItem(item, 'PROCESS_UPDATE', sent => {
        const read = readUpdateItem(procedure, sent)
        names.note(index++, read.apiData.processUpdate)
        noteTargets(body, targets, read)
        title.note(read)
        return permitEntry(readEntry(read), PERMISSIONS_OF_KINDS[read.apiType], request.may)
      })
    if (isByWhere(body)) await readUpdateWhere(scope, procedure, body, request)
    requireItems(body, PROCESSES, BY_WHERE)
  }
  const columns = () => encodeColumns(markJson(procedure, body.columns?.() ?? targets.columns()))
  return { entries, warnings: names.warnings, columns, title }
}

/** A table says itself what its columns are. */
function noteTargets(body: Pick<ItemBody, 'columns'>, targets: Targets, { apiType, apiData }: ReadEntry): void {
  if (!body.columns) targets.add(listEntryTargets(apiType, apiData))
}

const BY_WHERE = '"processes" with an item for each process, or "where" and "update" for all that match'

type Targets = ReturnType<typeof collectTargets>

const isByWhere = (body: Pick<ItemBody, 'has'>): boolean => ['where', 'update', ...CONFIRMATION_MEMBERS].some(body.has)

/** A list of create bodies, each read as an entry of one kind. */
export function readCreates(
  procedure: Procedure,
  body: ItemBody,
  { apiType, member, mode, read }: CreateKind,
): BulkEntries {
  const names = undeclaredInItems(procedure)
  const targets = collectTargets()
  const title = draftTitle(procedure, apiType)
  const entries = async function* () {
    const readEntry = createEntryReader()
    let index = 0
    for await (const item of body.items(procedure, mode))
      yield readItem(item, apiType, sent => {
        const entry = read(procedure, sent)
        names.note(index++, entry.apiData[member])
        noteTargets(body, targets, entry)
        title.note(entry)
        return readEntry(entry)
      })
    requireItems(body, PROCESSES)
  }
  const columns = () => encodeColumns(markJson(procedure, body.columns?.() ?? targets.columns()))
  return { entries, warnings: names.warnings, columns, title }
}

interface CreateKind {
  apiType: ProcessEntryKind
  /** Where the data of an entry have the create body. */
  member: string
  mode: ImportMode
  read: (procedure: Procedure, item: unknown) => ReadEntry
}

export const CREATES: CreateKind = {
  apiType: 'PROCESS_CREATE',
  member: 'processCreate',
  mode: 'create',
  read: readCreateItem,
}
export const UPSERTS: CreateKind = {
  apiType: 'PROCESS_UPSERT',
  member: 'processUpsert',
  mode: 'upsert',
  read: readUpsertItem,
}
