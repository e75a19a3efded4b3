import { mayHaveStoredNames, toData } from '../db/document/json.ts'
import { type JsonResponse, jsonResponse } from '../http/response/envelope.ts'
import { toWarningsMeta } from '../http/response/warnings.ts'
import type { Scope } from '../scope.ts'
import type { BlameByField } from './history/schema.ts'
import type { ProcessRow } from './row.ts'
import { PROCESS_MEMBERS, type ProcessOwner } from './rows/members.ts'
import type { ProcessResponse } from './rows/outcome.ts'
import type { Process } from './schema.ts'

export function viewProcess(owner: ProcessOwner, row: ProcessRow, isDeleted = false): Process {
  const view: Record<string, unknown> = {}
  for (const [name, member] of PROCESS_MEMBERS)
    view[name] = 'of' in member ? member.of(row, isDeleted) : member.shared(owner)
  return view as Process
}

/** Formats the entity tag, which changes with every change of the process and of the record inside it. */
export const formatProcessEtag = ({ version, record }: ProcessRow): string => `"${version}-${record?.version ?? 0}"`

/** A process, and who gave it its values if the request asks for that. */
export interface SnapshotResponse extends ProcessResponse {
  blame?: BlameByField
}

export const respondProcess = (
  status: 200 | 201,
  { row, procedure, warnings, blame }: SnapshotResponse,
  { team }: Scope,
  isDeleted = false,
): JsonResponse =>
  jsonResponse(status, viewProcess({ team, procedure }, row, isDeleted), {
    headers: {
      etag: formatProcessEtag(row),
      ...(status === 201 ? { location: `/v1/ext/procedure/${procedure.shortId}/process/${row.id}` } : {}),
    },
    meta: { ...toWarningsMeta(warnings), ...(blame && { blame }) },
  })

/** The parsed text of `listedProcess`. The names in its data are as they are stored. */
type ListedProcess = Omit<Process, 'team' | 'procedure' | 'procedureShortId'> & { primaryKey: string | null }
export const parseListed = (text: string): ListedProcess => JSON.parse(text) as ListedProcess

/** The text at which the members of a response begin, and the one behind the shared members. Neither occurs inside a value, where a quote has a backslash. */
const [FIRST, AFTER_SHARED] = ['"id":', ',"record":']

/** Makes the text of `listedProcess` into that of a response, without parsing it. */
export function viewListed(owner: ProcessOwner): (text: string) => string {
  const shared = PROCESS_MEMBERS.flatMap(([name, member]) => ('shared' in member ? [[name, member.shared(owner)]] : []))
  const members = JSON.stringify(Object.fromEntries(shared)).slice(1, -1)
  return stored => {
    const text = mayHaveStoredNames(stored) ? restoreNames(parseListed(stored)) : stored
    const at = text.indexOf(AFTER_SHARED)
    return `{${text.slice(text.indexOf(FIRST), at)},${members}${text.slice(at)}`
  }
}

function restoreNames(listed: ListedProcess): string {
  const record = listed.record && { ...listed.record, data: toData(listed.record.data) }
  return JSON.stringify({ ...listed, data: toData(listed.data), record })
}
