// The cost of keeping every change of a process, in four layouts: `node bench/history-layouts.mjs [processes]
// [changed]`. All processes exist; `changed` of them are changed 50 times by steps of 800, and some once more one by
// one.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Log, LogLevel, Miniflare } from 'miniflare'

const [PROCESSES = 1_000_000, CHANGED = 8_000] = process.argv.slice(2).map(Number)
const CHANGES = 50
const STEP = 800
const SINGLE = 100

const SCHEMA = [
  'CREATE TABLE process (rid INTEGER PRIMARY KEY, proc INTEGER NOT NULL, state TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1, s1, data BLOB NOT NULL, tail)',
  'CREATE INDEX p1 ON process(proc)',
  'CREATE INDEX p2 ON process(proc, state)',
  'CREATE INDEX p3 ON process(proc, s1) WHERE s1 IS NOT NULL',
]
const HISTORY =
  'CREATE TABLE h (rid INTEGER NOT NULL, version INTEGER NOT NULL, team INTEGER NOT NULL, changes BLOB NOT NULL, PRIMARY KEY (rid, version)) WITHOUT ROWID'

const dataOf = nth =>
  Object.fromEntries(Array.from({ length: 12 }, (_, a) => [`attr_${a}`, `value ${nth % 997} of ${a}`]))
/** Builds a change with its author, its time, and two fields with their values before and after. */
const changeOf = (version, rid) => ({
  v: version,
  t: 1_790_000_000_000 + version,
  by: 'u:01a20294-5c1b-7f06-b306-7258946ba825',
  c: [
    ['attr_3', `value ${version - 1}`, `value ${version} ${rid % 100}`],
    ['state', 'NEW', 'CONTACTED'],
  ],
})
const OWN = 'jsonb(v.change)'

/**
 * The layouts: what a step writes before the UPDATE, what the UPDATE sets besides, and how the history of one is read.
 */
const LAYOUTS = {
  none: {},
  'a row for each change': {
    schema: [HISTORY],
    before: (values, version) => [
      ['INSERT INTO h SELECT value ->> 0, ?2, 7, jsonb(value -> 1) FROM json_each(?1)', values, version],
    ],
    read: rid => ['SELECT json(changes) FROM h WHERE rid = ?1 ORDER BY version DESC', rid],
  },
  'a tail in the row, spilled every 20': {
    schema: [HISTORY],
    before: (values, version) =>
      version % 20 === 0
        ? [
            [
              'INSERT INTO h SELECT rid, ?2, 7, tail FROM process WHERE rid IN (SELECT value ->> 0 FROM json_each(?1)) AND tail IS NOT NULL',
              values,
              version,
            ],
          ]
        : [],
    set: version =>
      version % 20 === 0
        ? `tail = jsonb_array(${OWN})`
        : `tail = jsonb_insert(coalesce(tail, jsonb('[]')), '$[#]', ${OWN})`,
    read: rid => [
      'SELECT json(tail) FROM process WHERE rid = ?1 UNION ALL SELECT json(changes) FROM h WHERE rid = ?1',
      rid,
    ],
  },
  'the log, a linked list': {
    schema: [
      'CREATE TABLE log (team INTEGER NOT NULL, sequence INTEGER NOT NULL, given BLOB NOT NULL, was BLOB NOT NULL, PRIMARY KEY (team, sequence)) WITHOUT ROWID',
    ],
    before: values => [
      [
        `INSERT INTO log SELECT 7, coalesce((SELECT max(sequence) FROM log WHERE team = 7), 0) + count(*),
          (SELECT jsonb_group_object(value ->> 0, value -> 1) FROM json_each(?1)), jsonb_group_object(CAST(rid AS TEXT), tail)
          FROM process WHERE rid IN (SELECT value ->> 0 FROM json_each(?1))`,
        values,
      ],
    ],
    set: () => 'tail = (SELECT max(sequence) FROM log WHERE team = 7)',
    read: rid => [
      `WITH RECURSIVE step(last, given) AS (SELECT tail, NULL FROM process WHERE rid = ?1 UNION ALL
        SELECT log.was ->> ('$."' || ?1 || '"'), log.given -> ('$."' || ?1 || '"') FROM step JOIN log ON team = 7 AND sequence = last)
        SELECT given FROM step WHERE given IS NOT NULL`,
      String(rid),
    ],
  },
}

const sizeOf = folder =>
  readdirSync(folder, { withFileTypes: true }).reduce(
    (sum, each) =>
      sum + (each.isDirectory() ? sizeOf(join(folder, each.name)) : statSync(join(folder, each.name)).size),
    0,
  )

async function measure(name, { schema = [], before = () => [], set, read }) {
  const folder = mkdtempSync(join(tmpdir(), 'layouts-'))
  const worker = new Miniflare({
    modules: true,
    script: 'export default { fetch: () => new Response("") }',
    compatibilityDate: '2026-04-20',
    d1Databases: ['DB'],
    d1Persist: folder,
    log: new Log(LogLevel.ERROR),
  })
  const db = await worker.getD1Database('DB')
  const run = async statements => {
    const results = await db.batch(statements.map(([text, ...values]) => db.prepare(text).bind(...values)))
    const sum = figure => results.reduce((total, { meta }) => total + meta[figure], 0)
    return {
      read: sum('rows_read'),
      written: sum('rows_written'),
      ms: sum('duration'),
      size: results.at(-1).meta.size_after,
      rows: results.at(-1).results,
    }
  }
  await run([...SCHEMA, ...schema].map(text => [text]))
  for (let from = 0; from < PROCESSES; from += 4_000) {
    const rows = Array.from({ length: Math.min(4_000, PROCESSES - from) }, (_, nth) => [
      from + nth + 1,
      `k${from + nth}`,
      dataOf(from + nth),
    ])
    await run([
      [
        "INSERT INTO process (rid, proc, state, s1, data) SELECT value ->> 0, 1, 'NEW', value ->> 1, jsonb(value -> 2) FROM json_each(?1)",
        JSON.stringify(rows),
      ],
    ])
  }
  const changed = Array.from({ length: CHANGED }, (_, nth) => 1 + nth)
  const [low, high] = [1, CHANGED]
  const walk = async () => {
    const times = []
    for (let nth = 0; nth < 5; nth++)
      times.push(
        await run([
          ["SELECT count(*) FROM process WHERE rid BETWEEN ?1 AND ?2 AND data ->> '$.attr_5' = 'x'", low, high],
        ]),
      )
    return times.reduce((best, each) => (each.ms < best.ms ? each : best))
  }
  const initial = { ...(await walk()), size: (await run([['SELECT 1']])).size }
  const step = (rids, version) => {
    const values = JSON.stringify(rids.map(rid => [rid, changeOf(version, rid)]))
    const more = set ? `, ${set(version)}` : ''
    return run([
      ...before(values, version),
      [
        `UPDATE process SET version = version + 1, data = jsonb_set(data, '$.attr_3', ?2)${more} FROM (SELECT value ->> 0 AS own, value -> 1 AS change FROM json_each(?1)) v WHERE rid = v.own`,
        values,
        `value ${version}`,
      ],
    ])
  }
  const bulk = { written: 0, ms: 0 }
  for (let version = 1; version <= CHANGES; version++)
    for (let from = 0; from < CHANGED; from += STEP) {
      const { written, ms } = await step(changed.slice(from, from + STEP), version)
      bulk.written += written
      bulk.ms += ms
    }
  const after = await run([['SELECT 1']])
  const final = await walk()
  const page = await run([['SELECT rid, state, json(data) FROM process WHERE proc = 1 ORDER BY rid LIMIT 100']])
  const history = read ? await run([read(5)]) : { read: 0, rows: [], ms: 0 }
  let single = 0
  for (let nth = 0; nth < SINGLE; nth++) single += (await step([changed[nth * 7]], CHANGES + 1)).written
  const all = CHANGED * CHANGES
  console.log(
    `| ${name} | ${(bulk.written / all).toFixed(3)} | ${(single / SINGLE).toFixed(2)} | ${((bulk.ms / all) * 1000).toFixed(1)} | ${Math.round((after.size - initial.size) / all)} | ${page.read} | ${initial.ms} → ${final.ms} ms | ${history.read} |`,
  )
  await worker.dispose()
  rmSync(folder, { recursive: true })
}

console.log(`${PROCESSES} processes, ${CHANGED} of them changed ${CHANGES} times\n`)
console.log(
  '| layout | rows written for an entry of a job | for a single change | µs for an entry | bytes for a change | rows read of a list of 100 | walk over the changed ones | rows read of a history of 50 |',
)
console.log('|---|---|---|---|---|---|---|---|')
for (const [name, layout] of Object.entries(LAYOUTS)) await measure(name, layout)
