import { sql } from 'drizzle-orm'
import { cacheByShape, prepared, type Statement, statement } from '../../../db/statement.ts'
import { guardLimit } from '../../../procedure/definition-guard.ts'
import { process } from '../../table.ts'
import { ROW_NUMBER } from '../plan/columns.ts'
import type { IndexScan, QueryPlan } from '../plan/plan.ts'
import { isBoundAsIs } from './comparison.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import type { RowRange } from './scans.ts'
import { and, RID, selectNewestProcesses, selectScanEntries } from './scans.ts'
import { SELECTED_ROWS, type SelectedRow } from './selected-row.ts'

/** Builds a page on which every entry is a match: as many index entries are read as the response has rows. */
export function buildSingleIndexPage(
  plan: QueryPlan,
  scan: IndexScan,
  rows: RowRange,
  { limit, skip, selected }: ScanPage,
): Statement<ScanRow> {
  const [key, ...others] = scan.keys
  if (others.length === 0 && (key === undefined || isBoundAsIs(key.value))) {
    const { no: proc, version } = plan.procedure
    const value = key?.value ?? null
    return preparePage(scan, rows, selected)({ ...rows, proc, version, value, limit, skip })
  }
  const rowsMax = guardLimit(plan.procedure, sql`${limit}`)
  return statement(
    selectNewestProcesses(
      selectScanEntries(scan, plan, rows),
      [SELECTED_ROWS[selected]],
      sql`${rowsMax} OFFSET ${skip}`,
    ),
  )
}

type PageValues = Record<'proc' | 'version' | 'limit' | 'skip', number> &
  Record<'from' | 'before', number | null> & { value: string | number | null }
type PreparedPage = (values: PageValues) => Statement<ScanRow>

/** The statements of the commonest lists. There are as many as indexes, kinds of rows, and ways to bound the row number. */
const getPreparedPage = cacheByShape<PreparedPage>()

function preparePage({ keys: [key] }: IndexScan, rows: RowRange, selected: SelectedRow): PreparedPage {
  const { column, index, from } = key?.column ?? ROW_NUMBER
  const shape = `${index} ${selected} ${rows.from !== null} ${rows.before !== null}`
  const names = ['proc', 'version', 'value', 'from', 'before', 'limit', 'skip'] as const
  return getPreparedPage(shape, () =>
    prepared<PageValues, ScanRow>(names, values => {
      const where = [
        sql`${process.proc} = ${values.proc}`,
        ...(key === undefined ? [] : [sql`${column} = ${values.value}`]),
        ...(rows.from === null ? [] : [sql`${process.rid} >= ${values.from}`]),
        ...(rows.before === null ? [] : [sql`${process.rid} < ${values.before}`]),
      ]
      const rowsMax = guardLimit({ no: values.proc, version: values.version }, values.limit)
      return statement(
        sql`SELECT ${RID}, ${SELECTED_ROWS[selected]} ${from} WHERE ${and(where)} ORDER BY ${process.rid} DESC LIMIT ${rowsMax} OFFSET ${values.skip}`,
      )
    }),
  )
}
