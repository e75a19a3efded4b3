import type { Harness } from './harness.ts'

/** Sets the size of the harness's database that D1 reports with each result. */
export function setDatabaseSize(harness: Harness, getBytes: () => number): void {
  const { DB } = harness.env
  const batch = async (statements: D1PreparedStatement[]) =>
    (await DB.batch(statements)).map(each => ({ ...each, meta: { ...each.meta, size_after: getBytes() } }))
  const sized = { ...DB, batch } as D1Database
  Object.assign(harness.env, {
    DB: Object.assign(sized, { withSession: () => ({ ...sized, getBookmark: () => null }) }),
  })
}
