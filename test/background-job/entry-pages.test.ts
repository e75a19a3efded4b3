import { expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { bulk, JOBS, newLeadTeam } from '../support/jobs.ts'

// An isolate has 128 MB for all its requests: a page of entries ends where its bytes are too much, and says so.

const COUNT = 14
const LARGE = 'x'.repeat(450_000)
/**
 * The bound of processes, customers or events on a page, one that is larger than the remaining space, and the rest of
 * the response.
 */
const PAGE_CHARACTERS_MAX = 5_500_000

interface Shown {
  index: number
  data: { apiData: { processCreate: { data: { note: string } } } }
}

async function readPages(team: Team, address: string): Promise<Shown[][]> {
  const pages: Shown[][] = []
  let next: string | null = address
  do {
    const { data, meta, errors, status } = await team.call('GET', next)
    expect([status, errors, meta.total]).toEqual([200, [], COUNT])
    expect(JSON.stringify(data).length).toBeLessThan(PAGE_CHARACTERS_MAX)
    expect([meta.hasMore, data.length > 0]).toEqual([meta.next !== null, true])
    pages.push(data)
    next = meta.next
  } while (next !== null)
  return pages
}

it('a page of entries ends by their bytes, with and without a status, and shows each entry once and whole', async () => {
  const team = await newLeadTeam()
  const getNote = (nth: number) => (nth % 4 === 0 ? 'short' : LARGE)
  const items = Array.from({ length: COUNT }, (_, nth) => ({ data: { lead_id: `L${nth}`, note: getNote(nth) } }))
  const { data: job } = await bulk(team, 'POST', items)
  for (const query of ['', '?completionStatus=SUCCESS', '?limit=13', '?completionStatus=SUCCESS&limit=13']) {
    const pages = await readPages(team, `${JOBS}/${job.id}/entries${query}`)
    expect([query, pages.length]).toEqual([query, expect.toSatisfy((count: number) => count >= 2 && count <= 4)])
    const shown = pages.flat()
    expect(shown.map(({ index }) => index)).toEqual(items.map((_, nth) => nth))
    expect(shown.every(({ index, data }) => data.apiData.processCreate.data.note === getNote(index))).toBe(true)
  }
})
