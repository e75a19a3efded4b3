import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { bulk, LEADS, newLeadTeam } from '../support/jobs.ts'

// The database here takes rows of any size; D1 takes 2 MB. What an event keeps are the values that were replaced.

const ROW_BYTES_MAX = 2_000_000
const LARGE = 'x'.repeat(500_000)
const COUNT = 16

const toPhone = (nth: number) => `9194483000${nth + 10}`

async function largestRow({ no }: Team): Promise<number> {
  const bytes = 'octet_length(after) + ifnull(octet_length(before), 0) + octet_length("by")'
  const row = await env.DB.prepare(`SELECT max(${bytes}) AS largest FROM event WHERE team = ?`).bind(no).first()
  return row?.largest as number
}

const countRows = async ({ no }: Team, type: string) =>
  (await env.DB.prepare('SELECT sum(count) AS n FROM event WHERE team = ? AND type = ?').bind(no, type).first())?.n

describe('a row of the log', () => {
  it('holds the replaced values of large customers in parts that fit, and the feed shows each of them', async () => {
    const team = await newLeadTeam()
    for (let nth = 0; nth < COUNT; nth++)
      await team.call('POST', LEADS, { record: { data: { phone: toPhone(nth), note: LARGE } } })
    const merges = Array.from({ length: 4 * COUNT }, (_, nth) => ({
      data: { lead_id: `L${nth}` },
      record: { data: { phone: toPhone(nth % COUNT), note: `short ${nth}` } },
    }))
    const job = await bulk(team, 'POST', { processes: merges })
    expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 4 * COUNT })
    expect(await largestRow(team)).toBeLessThan(ROW_BYTES_MAX)
    expect(await countRows(team, 'record.updated')).toBeGreaterThanOrEqual(COUNT)
    const { data } = await team.call('GET', `/v1/ext/record?phone=${toPhone(0)}`)
    expect(data[0].data.note).toBe(`short ${3 * COUNT}`)
  })

  it('holds the replaced values of large processes in parts that fit', async () => {
    const team = await newLeadTeam()
    for (let nth = 0; nth < COUNT; nth++)
      await team.call('POST', LEADS, { data: { lead_id: `L${nth}`, note: LARGE, other: LARGE.slice(0, 390_000) } })
    const update = { data: { note: 'short', other: LARGE } }
    const processes = Array.from({ length: COUNT }, (_, nth) => ({ lead_id: `L${nth}`, update }))
    const job = await bulk(team, 'PATCH', { processes })
    expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: COUNT })
    expect(await largestRow(team)).toBeLessThan(ROW_BYTES_MAX)
    expect(await countRows(team, 'process.updated')).toBe(COUNT)
  })

  it('has room for the largest value of a process and of a customer, replaced by one as large', async () => {
    const team = await newLeadTeam()
    const value = (letter: string) => ({ note: letter.repeat(890_000) })
    const { data } = await team.call('POST', LEADS, { data: value('a'), record: { data: { phone: toPhone(0) } } })
    for (const letter of ['b', 'c']) {
      const path = `${LEADS}/${data.id}`
      expect((await team.call('PUT', path, { data: value(letter) })).errors).toEqual([])
      expect((await team.call('PUT', `/v1/ext/record/${data.record.id}`, { data: value(letter) })).errors).toEqual([])
      const job = await bulk(team, 'PATCH', { processes: [{ id: data.id, data: value(letter.toUpperCase()) }] })
      expect(job.data.completionStatus).toBe('SUCCESS')
      const made = { record: { data: { phone: toPhone(0), ...value(letter.toUpperCase()) } } }
      expect((await bulk(team, 'POST', { processes: [made] })).data.completionStatus).toBe('SUCCESS')
    }
    expect(await largestRow(team)).toBeLessThan(ROW_BYTES_MAX)
  })
})
