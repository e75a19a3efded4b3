import { write } from '../../db/write.ts'
import { AppError, notFound } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import { endOptOut, type OptOutRow, selectOptedOut, selectOptOuts } from './statements.ts'

export async function listOptOuts(
  scope: Scope,
  { cursor = '', limit }: { cursor?: string | undefined; limit: number },
): Promise<{ rows: OptOutRow[]; next: string | null }> {
  const [rows] = await scope.db.read(selectOptOuts(scope, cursor, limit))
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? (page.at(-1)?.phone ?? null) : null }
}

/** The number may be written to again. */
export async function removeOptOut(scope: Scope, phone: string): Promise<OptOutRow> {
  const [[row]] = await scope.db.read(selectOptedOut(scope, [phone]))
  if (!row) throw notFound(`opt-out of ${phone}`)
  await write(scope, { effect: [endOptOut(scope, phone)], outcome: null })
  return row
}

/** What is said of numbers that are not to be written to. Those that may be are absent. */
export async function findOptedOut(scope: Scope, phones: readonly string[]): Promise<Map<string, AppError>> {
  if (phones.length === 0) return new Map()
  const [rows] = await scope.db.read(selectOptedOut(scope, phones))
  return new Map(rows.map(row => [row.phone, optedOutError(row)]))
}

const optedOutError = ({ phone, since, message }: OptOutRow): AppError =>
  new AppError('opted_out', [
    {
      message: `${phone} asked not to be written to`,
      hint: `if the customer has agreed again: DELETE /v1/ext/opt-out/${phone}`,
      detail: { phoneNumber: phone, since, messageId: message },
    },
  ])
