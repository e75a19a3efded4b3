import { env } from 'cloudflare:workers'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import { deleteRows, selectRows } from '../../src/team/rows.ts'
import { WALKED_TABLES } from '../../src/team/tables.ts'

const modules = import.meta.glob<Record<string, unknown>>('../../src/**/table.ts', { eager: true })
const tables = Object.values(modules)
  .flatMap(module => Object.values(module))
  .filter(each => each instanceof SQLiteTable)

/** Its rows are of maintenance tasks, which work for all teams. */
const OF_NO_TEAM = ['maintenance_position']

it('every table with rows of a team is walked, once, with all of its columns', () => {
  expect(tables.length).toBeGreaterThan(15)
  const names = tables.map(table => getTableConfig(table).name)
  expect([...WALKED_TABLES.map(({ name }) => name), ...OF_NO_TEAM].sort()).toEqual(names.sort())
  for (const table of tables) {
    const { name, columns } = getTableConfig(table)
    const walked = WALKED_TABLES.find(each => each.name === name)
    if (walked) expect([name, walked.columns.length]).toEqual([name, columns.length])
    expect([name, columns.some(column => column.name === 'team') || name === 'team']).toEqual([name, true])
  }
})

it('the key of each table is known: a walk goes on after it', () => {
  for (const { name, key } of WALKED_TABLES) expect([name, key.length > 0]).toEqual([name, true])
})

/** No index of these begins with the team: one would cost a row written more with each change. */
const PASSED_WHOLE = [
  'template',
  'record_erasure',
  'record_move',
  'erased_process',
  'process_trash',
  'chunk_removal',
  'job_outcome',
  'job_chunk',
  'dry_run_process',
  'idempotency',
]

it('the rows of a team are found without those of others, where an index has them', async () => {
  const names = WALKED_TABLES.filter(({ byTeam }) => !byTeam).map(({ name }) => name)
  expect(names).toEqual(PASSED_WHOLE)
  for (const table of WALKED_TABLES.filter(({ byTeam }) => byTeam)) {
    const after = JSON.stringify(table.key.map(() => 1))
    for (const made of [selectRows(table, 7, null), selectRows(table, 7, after), deleteRows(table, 7, after, after)]) {
      const { text, params } = made.compile()
      const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
        .bind(...params)
        .all<{ detail: string }>()
      const steps = plan.results.map(({ detail }) => detail)
      expect(steps).toContainEqual(expect.stringMatching(new RegExp(`^SEARCH ${table.name} USING `)))
    }
  }
})
