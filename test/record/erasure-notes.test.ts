import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { listErasureNotes } from '../../src/erasure-sweep/note.ts'
import { DAY_MS } from '../../src/time-units.ts'
import { newTeam, request, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { LEADS, leadProcedure } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'

// What is erased is noted outside of the database, so that a restore can erase it again: see test/far/restore.alone.test.ts.

afterEach(() => void vi.useRealTimers())

async function teamWithCustomer() {
  const team = await newTeam()
  await leadProcedure(team)
  const { data } = await team.call('POST', LEADS, { record: { data: { name: 'Asha', phone: newNumber() } } })
  return { team, process: `${LEADS}/${data.id}`, id: data.id as string, record: data.record.id as string }
}

async function notesOf({ no }: Team) {
  const { notes } = await listErasureNotes(env.ARCHIVE, null)
  return notes.filter(({ team }) => team === no).map(({ what, ids }) => [what, ids])
}

it('an erasure is noted by ids alone, and one that is refused is not', async () => {
  const { team, process, id, record } = await teamWithCustomer()
  const erase = (path: string, headers = {}) => team.call('DELETE', path, undefined, headers)
  expect((await erase(`/v1/ext/record/${record}`, { 'if-match': '"7"' })).status).toBe(412)
  expect((await erase(`${LEADS}/${crypto.randomUUID()}?purge=true`)).status).toBe(404)
  expect(await notesOf(team)).toEqual([])
  expect((await erase(`/v1/ext/record/${record}?everywhere=true`)).data.everywhere).toBe(true)
  expect((await erase(`${process}?purge=true`)).status).toBe(202)
  expect(await notesOf(team)).toEqual([
    ['customer everywhere', [record]],
    ['process', [id]],
  ])
})

it('an erasure that cannot be noted is refused, and changes nothing', async () => {
  const { team, record } = await teamWithCustomer()
  const ARCHIVE = { put: () => Promise.reject(new Error('R2 is down')) }
  const path = `/v1/ext/record/${record}`
  const headers = { authorization: `Bearer ${team.token}` }
  const refused = await request('DELETE', path, { headers }, { ...env, ARCHIVE } as unknown as Env)
  expect([refused.status, refused.meta.errors[0].code]).toEqual([503, 'storage_unavailable'])
  expect((await team.call('GET', path)).status).toBe(200)
})

it('notes are removed once no restore goes back to before them', async () => {
  const { team, record } = await teamWithCustomer()
  await team.call('DELETE', `/v1/ext/record/${record}`)
  const harness = new Harness()
  await harness.sweep(Date.now() + 29 * DAY_MS)
  expect(await notesOf(team)).toHaveLength(1)
  await harness.sweep(Date.now() + 32 * DAY_MS)
  expect(await notesOf(team)).toEqual([])
})
