import type { Warning } from '../../src/http/response/warnings.ts'
import type { Procedure } from '../../src/procedure/model.ts'
import { type ListRequest, prepareList, type QueryPointers, writeListCursor } from '../../src/process/query/list.ts'
import { readPage } from '../../src/process/query/output/parts.ts'
import { SCAN_LIMITS, type ScanLimits } from '../../src/process/query/scan-limits.ts'
import type { Scope } from '../../src/scope.ts'

export interface ProcessPage {
  /** The rows as `listedProcess` formats them. */
  rows: string[]
  hasMore: boolean
  /** The cursor of the next page; null on the last page. Where a request stopped for its time, a page holds less than asked for. */
  next: string | null
  warnings: Warning[]
}

/** Lists one page of the matches of a query. */
export async function listProcesses(
  scope: Scope,
  procedure: Procedure,
  request: ListRequest,
  pointers?: QueryPointers,
  limits: ScanLimits = SCAN_LIMITS,
): Promise<ProcessPage> {
  const list = await prepareList(scope, procedure, request, pointers)
  const { rows, next } = await readPage(scope, list, { limit: request.limit, limits })
  return {
    rows,
    hasMore: next !== null,
    next: writeListCursor(list, next),
    warnings: list.warnings,
  }
}
