import type { EntrySource } from '../../background-job/accept/accept-job.ts'
import type { BulkMembers } from '../../background-job/accept/body.ts'
import type { JobRequest } from '../../background-job/accept/request.ts'
import { findFirstPage } from '../../background-job/collect/collection.ts'
import type { RequestedNames } from '../../background-job/kind.ts'
import { collectTargets, encodeColumns } from '../../background-job/sender-columns.ts'
import { type Fault, invalid } from '../../errors.ts'
import { isObject } from '../../http/shapes.ts'
import { findUndeclaredNames } from '../../procedure/declared.ts'
import type { Procedure } from '../../procedure/model.ts'
import { requirePermission } from '../../roles.ts'
import type { Scope } from '../../scope.ts'
import { CONFIRMATION_MEMBERS, readConfirmation, requireConfirmation } from './confirmation.ts'
import { listEntryTargets, markJson } from './entry-cells.ts'
import { findNames, PERMISSIONS_OF_KINDS } from './kinds.ts'
import { draftTitle, type TitleDraft } from './title.ts'
import { readUpdateEntry, requireReferences } from './update-body.ts'

/** The entries of a request, and what to warn of. */
export interface BulkEntries extends Pick<EntrySource, 'entries' | 'uncollected' | 'warnings' | 'columns'> {
  /** What the entries do, noted as they came in. */
  title: Pick<TitleDraft, 'write'>
}

/** `{"where": Query, "update": {…}}`: what is wrong with either is wrong with the request, and refuses it whole. */
export async function readUpdateWhere(
  scope: Scope,
  procedure: Procedure,
  body: BulkMembers,
  { may, settings }: Pick<JobRequest, 'may' | 'settings'>,
): Promise<BulkEntries> {
  await body.skip()
  const [where, update] = [body.member('where'), body.member('update')]
  const { apiType, apiData, faults } = readUpdateEntry(procedure, update)
  if (body.hasList() && where === undefined) throw invalid(listOnlyWithWhere(body))
  const all: Fault[] = [
    ...(body.hasList() ? [{ message: 'either "processes" or "where", not both', path: '/body/where' }] : []),
    ...(where === undefined ? [{ message: '"where" is required', path: '/body/where' }] : []),
    ...(update === undefined ? [{ message: '"update" is required', path: '/body/update' }] : []),
    ...(isEmpty(update) ? [{ message: '"update" is empty: it would change nothing', path: '/body/update' }] : []),
    ...(apiType === 'PROCESS_RESTORE' ? [NONE_IS_DELETED] : []),
    ...faults,
  ]
  const data = isObject(update) && isObject(update.data) ? update.data : {}
  const undeclared = findUndeclaredNames(procedure, data, '/body/update/data')
  const warnings = await requireConfirmation(scope, procedure, body, { undeclared, faults: all })
  requirePermission(PERMISSIONS_OF_KINDS[apiType], may)
  await requireReferences(scope, procedure, update)
  const collection = { apiType, apiData, where, moment: scope.now, consent: readConfirmation(body) }
  const find = (wanted: RequestedNames) => findNames(scope, procedure, wanted)
  const found = await findFirstPage(collection, settings, find)
  const columns = collectTargets()
  columns.add(['id', ...listEntryTargets(apiType, apiData)])
  const title = draftTitle(procedure, apiType)
  title.note({ apiType, apiData })
  return {
    ...found,
    title,
    warnings: () => warnings,
    columns: () => encodeColumns(markJson(procedure, columns.columns())),
  }
}

/** A script whose variable is not set sends such an update, which would be a job of many successes. */
function isEmpty(update: unknown): boolean {
  if (!isObject(update)) return false
  const { data, ...fields } = update
  return Object.keys(fields).length === 0 && (data === undefined || (isObject(data) && Object.keys(data).length === 0))
}

/** What a list of items has beside it, and should not. */
const listOnlyWithWhere = (body: BulkMembers): Fault[] =>
  ['update', ...CONFIRMATION_MEMBERS]
    .filter(name => body.has(name))
    .map(name => ({
      message: `${JSON.stringify(name)} goes with "where"`,
      path: `/body/${name}`,
      ...(name === 'update' ? { hint: 'each item of "processes" has its own' } : {}),
    }))

const NONE_IS_DELETED: Fault = {
  message: 'a query finds no deleted process: those to restore are named in "processes"',
  path: '/body/update/isDeleted',
  hint: 'GET …/process/trash lists them',
}
