import { env } from 'cloudflare:workers'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import { createCost } from '../../src/db/cost.ts'
import { openDatabase } from '../../src/db/databases.ts'
import type { Statement } from '../../src/db/statement.ts'
import { write } from '../../src/db/write.ts'
import {
  deleteFirstRows,
  type ExportedRow,
  selectChanged,
  selectMissing,
  selectRows,
  selectTaken,
} from '../../src/team/table-rows.ts'
import { WALKED_TABLES, type WalkedTable } from '../../src/team/tables.ts'

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

it('the key of each table is known: a walk continues after it', () => {
  for (const { name, key } of WALKED_TABLES) expect([name, key.length > 0]).toEqual([name, true])
})

const explain = async (made: Statement): Promise<string[]> => {
  const { text, params } = made.compile()
  const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
    .bind(...params)
    .all<{ detail: string }>()
  return plan.results.map(({ detail }) => detail)
}

/** Returns an empty row of a table in the form of an export. */
const getLine = (table: WalkedTable): string =>
  JSON.stringify({ table: table.name, row: Object.fromEntries(table.columns.map(({ name }) => [name, 1])) })

it('a walk, an erasure and an import seek the rows of the team in every table, and pass none of others', async () => {
  for (const table of WALKED_TABLES) {
    const after = JSON.stringify(table.key.map(() => 1))
    const walk = [selectRows(table, 7, null), selectRows(table, 7, after), deleteFirstRows(table, 7)]
    const lines = `[${getLine(table)}]`
    const moved = [selectMissing(table, lines), selectChanged(table, lines), ...selectTaken(table, 7, lines)]
    for (const [nth, made] of [...walk, ...moved].entries()) {
      const steps = await explain(made)
      const place = [table.name, nth, steps]
      expect(place).toEqual([
        ...[table.name, nth],
        expect.arrayContaining([expect.stringMatching(new RegExp(`^SEARCH ${table.name} USING `))]),
      ])
      expect(place).toEqual([table.name, nth, expect.not.arrayContaining([expect.stringMatching(/^SCAN (?!sent|\()/)])])
    }
  }
})

/** Rows of a team in each table that many rows can be in, each under a number of its own. */
const MANY: Record<string, string> = {
  job_outcome:
    "(team, job, first, offset, invalid, success, error, updated_at, outcomes) SELECT ?1, n / 10, n % 10, 0, 0, 0, 0, 0, '[]'",
  job_chunk: "(team, job, first, count, invalid, entries) SELECT ?1, n / 10, n % 10, 1, 0, '[]'",
  chunk_removal: '(team, job, due) SELECT ?1, n, 0',
  dry_run_process: "(team, job, rid, row) SELECT ?1, n / 10, n % 10, jsonb('{}')",
  idempotency:
    "(team, day, lookup, fingerprint, outcome, expires_at) SELECT ?1, n / 1000, randomblob(16), '', jsonb('[]'), 0",
  process_trash:
    "(rid, id, proc, team, deleted_at, row) SELECT ?1 * 10000 + n, 'x', ?1 * 4096 + n / 1000, ?1, n, jsonb('{}')",
  template:
    "(team, plugin, id, external_id, name, language, category, status, parameter_format, components, synced_at, updated_at) SELECT ?1, ?1 * 4096, 'x', 'x', n, 'en', '', '', '', jsonb('[]'), 0, 0",
  record: "(rid, id, team, data, created_at, updated_at) SELECT ?1 * 10000 + n, 'x', ?1, jsonb('{}'), 0, 0",
  process:
    "(rid, id, proc, team, status, state, updated_at, data) SELECT ?1 * 10000 + n, 'x', ?1 * 4096 + 1, ?1, 0, '', 0, jsonb('{}')",
  message:
    "(rid, id, team, plugin, sender, graph_version, phone, data_type, text, request, delivery, history, user, source_id, updated_at) SELECT ?1 * 10000 + n, 'x', ?1, 1, '', '', '9', '', '', jsonb('{}'), 1, jsonb('[]'), '', '', 0",
  background_job:
    "(no, id, team, type, completion_status, total, created_by, updated_at, wake_at) SELECT ?1 * 10000 + n, 'x', ?1, '', 'SUCCESS', 0, '', 0, 0",
  saved_view:
    "(id, team, proc, created_by, is_shared, name, query, columns, layout, version, created_at, updated_at) SELECT ?1 || '-' || n, ?1, 1, 'x', 1, '', '', '', 'table', 1, 0, 0",
  record_erasure: "(record, erasure, id, team, by, phones, before) SELECT ?1 * 10000 + n, n, 'x', ?1, '{}', '[]', 0",
  record_move: "(record, to_record, team, by, messages) SELECT ?1 * 10000 + n, n, ?1, '{}', 0",
  erased_process: '(erasure, process, team, proc) SELECT n / 10, n, ?1, 1',
  event: "(team, sequence, count, at, type, by, after) SELECT ?1, n, 1, 0, '', jsonb('{}'), jsonb('{}')",
  api_key:
    "(id, team, name, role, user, hash, prefix, last_four, created_at) SELECT ?1 || '-' || n, ?1, '', '', '', randomblob(16), '', '', 0",
  user: "(no, id, team, username, role, created_at, updated_at) SELECT ?1 * 10000 + n, ?1 || '-' || n, ?1, n, '', 0, 0",
  session:
    "(id, team, user, hash, method, created_at, last_used_at, expires_at) SELECT ?1 || '-' || n, ?1, n / 10, randomblob(16), '', 0, 0, 0",
  passkey:
    "(id, team, user, name, credential, public_key, counter, transports, backed_up, created_at, challenge) SELECT ?1 || '-' || n, ?1, n / 10, '', randomblob(16), '', 0, '[]', 0, 0, randomblob(16)",
}

const fill = async (name: string, team: number, rows: number): Promise<void> => {
  const numbers = 'WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2 - 1)'
  const text = `INSERT INTO ${name} ${MANY[name]} FROM numbers`.replace(/ SELECT /, ` ${numbers} SELECT `)
  await env.DB.prepare(text).bind(team, rows).run()
}

/** Counts the rows that a walk to the end of a table reads, and the rows of the team among them. */
async function walk(table: WalkedTable, team: number): Promise<{ read: number; met: number }> {
  const cost = createCost()
  let met = 0
  for (let after: string | null = null; ; ) {
    const [rows]: [ExportedRow[]] = await openDatabase(env, cost).read(selectRows(table, team, after))
    met += rows.length
    const last = rows.at(-1)
    if (!last) return { read: cost.rowsRead, met }
    after = last.position
  }
}

/** Keys and sizes are sorted before rows are read by their primary keys, and D1 counts what is sorted as well. */
const READ_PER_ROW_MAX = 6

it("each step of a walk begins where the last one ended: it reads rows in proportion to the team's own", async () => {
  const [small, large, other] = [700_001, 700_002, 700_003]
  for (const name of Object.keys(MANY)) {
    const table = WALKED_TABLES.find(each => each.name === name)
    if (!table) throw new Error(`no table ${name}`)
    await fill(name, small, 1_000)
    await fill(name, large, 3_000)
    const alone = await walk(table, small)
    await fill(name, other, 3_000)
    expect([name, await walk(table, small)]).toEqual([name, alone])
    expect([name, alone.met, alone.read <= 1_000 * READ_PER_ROW_MAX + 100]).toEqual([name, 1_000, true])
    const { read, met } = await walk(table, large)
    expect([name, met, read <= 3_000 * READ_PER_ROW_MAX + 100]).toEqual([name, 3_000, true])
    await env.DB.prepare(`DELETE FROM ${name} WHERE team > 700000`).run()
  }
})

it('the steps of an erasure read each row of the team once more, and no others', async () => {
  const [team, other] = [700_004, 700_005]
  for (const name of Object.keys(MANY)) {
    const table = WALKED_TABLES.find(each => each.name === name)
    if (!table) throw new Error(`no table ${name}`)
    const eraseRows = async (): Promise<number> => {
      const cost = createCost()
      const db = openDatabase(env, cost)
      for (let changes = 1; changes > 0; )
        [{ changes }] = await write(
          { db, idempotency: null },
          { effect: [deleteFirstRows(table, team)], outcome: null },
        )
      return cost.rowsRead
    }
    await fill(name, team, 1_000)
    const thousand = await eraseRows()
    await fill(name, other, 3_000)
    await fill(name, team, 3_000)
    expect([name, (await eraseRows()) <= 3 * thousand + 100]).toEqual([name, true])
    const left = await env.DB.prepare(`SELECT count(*) AS n FROM ${name} WHERE team > 700000`).first('n')
    expect([name, left]).toEqual([name, 3_000])
    await env.DB.prepare(`DELETE FROM ${name} WHERE team > 700000`).run()
  }
})
