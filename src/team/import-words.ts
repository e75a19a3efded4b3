import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { select } from '../db/statement.ts'
import { write } from '../db/write.ts'
import type { StoredDefinition } from '../procedure/model.ts'
import { indexWords, listIndexedNames } from '../procedure/search/index-words.ts'
import { procedure } from '../procedure/table.ts'
import { process } from '../process/table.ts'

/** The index of words is not exported: the words of imported processes are indexed anew. */
export async function indexImported(db: Db, team: number, lines: string): Promise<void> {
  const [rows] = await db.read(
    select(
      { no: procedure.no, definition: sql<string>`json(${procedure.definition})` },
      sql`FROM ${procedure} WHERE ${procedure.team} = ${team}`,
    ),
  )
  const searched = rows
    .map(({ no, definition }) => ({ ...(JSON.parse(definition) as StoredDefinition), no }))
    .filter(each => listIndexedNames(each).length > 0)
  if (searched.length === 0) return
  const which = sql`${process.rid} IN (SELECT value ->> '$.row.rid' FROM json_each(${lines}))`
  const effect = searched.map(each => indexWords(each, which))
  await write({ db, idempotency: null }, { effect, outcome: null })
}
