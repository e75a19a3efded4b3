import { type SQL, sql } from 'drizzle-orm'
import { toWarningsMeta, type Warning, warnUndeclared } from '../../http/response/warnings.ts'
import { findUndeclaredNames } from '../../procedure/declared.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { FIELD_COLUMNS, FIELD_NAMES } from '../fields.ts'
import { type ProcessRow, recordOfProcess } from '../row.ts'
import { process } from '../table.ts'
import { type Target, whereTarget } from './target.ts'

/** The outcome of every route that changes a process: its row, and those values of its procedure that never change. */
export interface ProcessResponse {
  row: ProcessRow
  procedure: { id: string; shortId: string }
  /** Warnings about names in the request. They are not stored, but made again for a repeated request. */
  warnings?: readonly Warning[]
}

/**
 * Selects a `ProcessResponse` as an idempotency record stores it: as a list, because the names of the fields would take as
 * much room as their values. The fields come last, in the order of `FIELDS`. There is no row if there is no process.
 */
export const selectStoredOutcome = ({ no: proc, id, shortId }: Procedure, target: Target): SQL<string> =>
  sql`SELECT json_array(${id}, ${shortId}, ${process.rid}, json(${process.data}), ${recordOfProcess},
    ${sql.join(Object.values(FIELD_COLUMNS), sql`, `)}) FROM ${process} WHERE ${whereTarget({ proc, ...target })}`

/** Parses the list that `selectStoredOutcome` made. An older outcome may be stored as the object itself. */
export function parseStoredOutcome(stored: unknown): ProcessResponse {
  if (!Array.isArray(stored)) return stored as ProcessResponse
  const [id, shortId, rid, data, record, ...values] = stored as unknown[]
  const fields = Object.fromEntries(FIELD_NAMES.map((name, place) => [name, values[place] ?? null]))
  return { row: { rid, data, record, ...fields }, procedure: { id, shortId } } as ProcessResponse
}

/** The place of a process's attributes in a request. */
const DATA_PATH = '/body/data'

export interface ProcedureAddress {
  procedureShortId: string
}

export interface RequestData {
  data?: Record<string, unknown>
}

/** Runs an operation with the current definition of the procedure. */
export const performOn = (
  scope: Scope,
  { procedureShortId }: ProcedureAddress,
  act: (procedure: Procedure) => Promise<ProcessRow>,
  body?: RequestData,
): Promise<ProcessResponse> =>
  withProcedure(scope, procedureShortId, async procedure => {
    const row = await act(procedure)
    return { row, procedure: { id: procedure.id, shortId: procedure.shortId }, ...listWarnings(procedure, body) }
  })

const listWarnings = (procedure: Procedure, body: RequestData | undefined) =>
  body?.data === undefined
    ? {}
    : toWarningsMeta(warnUndeclared(findUndeclaredNames(procedure, body.data, DATA_PATH), DATA_PATH))
