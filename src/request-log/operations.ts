import { invalid, notFound } from '../errors.ts'
import { readCreatedAt, toRowNo, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { createHint } from '../suggest.ts'
import { findCollectedLine } from './collect.ts'
import { readLineCursor, writeLineCursor } from './cursor.ts'
import type { RequestLine } from './line.ts'
import type { RequestsQuery } from './schema.ts'
import { selectLine, selectLines } from './store.ts'

/** Returns a logged request, also one that this isolate has not written yet. */
export async function getRequest(scope: Scope, reference: string): Promise<RequestLine> {
  const id = reference.toLowerCase()
  const collected = findCollectedLine(scope.team.no, id)
  if (collected) return collected
  const [[found]] = UUID.test(id) ? await scope.db.read(selectLine(scope, id, readCreatedAt(toRowNo(id)))) : [[]]
  if (!found) throw notFound(`request ${reference}`)
  return JSON.parse(found.line) as RequestLine
}

export interface RequestPage {
  lines: RequestLine[]
  next: string | null
}

/** Lists requests. A page may have fewer than requested and still a next one, because each reads a bounded number of batches. */
export async function listRequests(scope: Scope, query: RequestsQuery): Promise<RequestPage> {
  const filter = {
    operation: query.operation,
    status: query.status === undefined ? undefined : parseStatuses(query.status),
    caller: query.caller,
    address: query.address,
    isFailed: query.failed === 'true',
    from: query.from,
    to: query.to,
  }
  const [found, [end]] = await scope.db.read(...selectLines(scope, filter, readLineCursor(query.cursor), query.limit))
  const shown = found.slice(0, query.limit)
  const last = shown.at(-1)
  const rest = end ? writeLineCursor({ ...end, place: 0 }) : null
  return {
    lines: shown.map(({ line }) => JSON.parse(line) as RequestLine),
    next: found.length > query.limit && last ? writeLineCursor(last) : rest,
  }
}

export function requireOperation({ operation }: RequestsQuery, listOperations: () => string[]): void {
  if (operation === undefined) return
  const known = listOperations()
  if (known.includes(operation)) return
  const message = `no operation ${JSON.stringify(operation)}`
  throw invalid([{ message, path: '/query/operation', ...createHint(operation, known) }])
}

const CLASS_SIZE = 100

function parseStatuses(status: string): { from: number; below: number } {
  if (!status.endsWith('xx')) return { from: Number(status), below: Number(status) + 1 }
  const from = Number(status.charAt(0)) * CLASS_SIZE
  return { from, below: from + CLASS_SIZE }
}
