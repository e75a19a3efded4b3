/// <reference types="vite/types/importMeta.d.ts" />
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import costs from '../../src/docs/guides/costs.md?raw'
import { newTeam } from '../support/api.ts'
import { LEADS } from '../support/jobs.ts'
import { attribute, newProcedure } from '../support/procedures.ts'
import { timelessHarness } from '../support/timeless.ts'

// FTS5 writes into tables of its own, with statements of its own: the figures of D1 do not show those rows here, and
// `test/operation-costs.test.ts` neither. SQLite counts them: what a call changes more than the same call without words.

const CALLS = 40
const ENTRIES = 400

interface Changes {
  /** Rows that SQLite changed in any table: not entries of an index, but rows of the tables of FTS5. */
  counted: number
  /** Rows written, as D1 says. */
  written: number
}

const changesSoFar = async () => (await env.DB.prepare('SELECT total_changes() AS n').first<number>('n')) ?? 0

let counter = 0
const title = () => `nine of these ten words are the same each w${++counter}`

afterEach(() => void vi.restoreAllMocks())

/** Measures the rows of one change, on average. */
async function measured(searchable: boolean) {
  const team = await newTeam()
  const attributes = [
    attribute('lead_id', 'string'),
    attribute('title', 'string', searchable ? { searchable } : {}),
    attribute('plain', 'string'),
  ]
  await newProcedure(team, { attributes })
  const once = async (method: string, path: string, body: unknown, of = 1): Promise<Changes> => {
    const harness = timelessHarness()
    const before = await changesSoFar()
    expect((await harness.request(team, method, path, body)).status).toBeLessThan(300)
    await harness.settle(team)
    return { counted: ((await changesSoFar()) - before) / of, written: harness.rows.written / of }
  }
  const each = async (method: string, path: (nth: number) => string, body: (nth: number) => unknown) => {
    const sum = { counted: 0, written: 0 }
    for (let nth = 0; nth < CALLS; nth++) {
      const { counted, written } = await once(method, path(nth), body(nth))
      sum.counted += counted / CALLS
      sum.written += written / CALLS
    }
    return sum
  }
  const key = (nth: number) => `${LEADS}/lead_id/L${nth}`
  const items = Array.from({ length: ENTRIES }, (_, nth) => ({ lead_id: `E${nth}`, data: { title: title() } }))
  const processes = items.map(({ lead_id }) => ({ lead_id, update: { data: { title: title() } } }))
  return {
    create: await each(
      'POST',
      () => LEADS,
      nth => ({ data: { lead_id: `L${nth}`, title: title() } }),
    ),
    update: await each('PUT', key, () => ({ data: { title: title() } })),
    updateBeside: await each('PUT', key, () => ({ data: { plain: 'x' } })),
    remove: await each('DELETE', key, () => undefined),
    createdEntry: await once('POST', `${LEADS}/bulk-create`, items, ENTRIES),
    updatedEntry: await once('PATCH', LEADS, { processes }, ENTRIES),
  }
}

/** Rows of the tables of FTS5: what is counted more than without words, less the one row that D1 says. */
const HIDDEN = { create: 7, update: 9, remove: 5, createdEntry: 1, updatedEntry: 3.5, updateBeside: 0 }
const SHOWN = { create: 1, update: 1, remove: 1, createdEntry: 1, updatedEntry: 1, updateBeside: 0 }
const OPERATIONS = Object.keys(HIDDEN) as (keyof typeof HIDDEN)[]

it('ten words cost one row that D1 counts, and as many rows of the index as the guide says', async () => {
  const [plain, searched] = [await measured(false), await measured(true)]
  for (const each of OPERATIONS) {
    const shown = searched[each].written - plain[each].written
    expect(Math.round(shown), each).toBe(SHOWN[each])
    const hidden = searched[each].counted - plain[each].counted - shown
    expect(hidden, each).toBeGreaterThanOrEqual(HIDDEN[each] * 0.8)
    expect(hidden, each).toBeLessThanOrEqual(HIDDEN[each] * 1.2)
  }
  const { create, update, remove, createdEntry, updatedEntry } = HIDDEN
  expect(costs).toContain(
    `${create} for a create, ${update} for an update, ${remove} for a deletion, ${createdEntry} for an entry of a bulk create, ${updatedEntry} for one of a bulk update`,
  )
})

it('a procedure without a searchable attribute pays nothing for the index of words', async () => {
  const rows = () => env.DB.prepare('SELECT count(*) AS n FROM process_search_docsize').first<number>('n')
  const before = await rows()
  const plain = await measured(false)
  expect(await rows()).toBe(before)
  const written = Object.values(plain).map(each => Math.round(each.written))
  // A process has five rows with its entries of indexes, a change of its data is one, a deletion four (it goes, and the trash has three with its entries of indexes), and each has an event.
  expect(written).toEqual([6, 2, 2, 5, 5, 1])
})
