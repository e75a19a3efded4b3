import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newTeam, type Reply } from '../support/api.ts'
import { waitForJob } from '../support/jobs.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

const setUp = async (changes: Record<string, unknown> = {}) => {
  const team = await newTeam()
  const procedure = await newProcedure(team, changes)
  const { path } = procedure
  return {
    team,
    ...procedure,
    history: (at: string, query = '') => team.call('GET', `${path}/${at}/history${query}`),
    asOf: (at: string, moment: number | string) => procedure.fetch(`${at}?asOf=${moment}`),
    revert: (at: string, version: number, headers?: Record<string, string>) =>
      team.call('PUT', `${path}/${at}/revert`, { version }, headers),
  }
}

const getLines = ({ data }: Reply): string[] =>
  data.map(
    (each: { version: number; type: string; changes: { field: string; from: unknown; to: unknown }[] }) =>
      `${each.version} ${each.type}${each.changes.map(({ field, from, to }) => ` ${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`).join()}`,
  )

/** A process that was made before there was a log. */
const forget = async (id: string) => {
  await env.DB.prepare('UPDATE process SET last_event = NULL WHERE id = ?').bind(id).run()
}
/** Removes events as the retention does. */
const removeUpTo = async (team: number, sequence: number) => {
  await env.DB.prepare('DELETE FROM event WHERE team = ? AND sequence <= ?').bind(team, sequence).run()
}

describe('the history of a process', () => {
  it('lists what each change changed, and nothing else', async () => {
    const { team, create, update, history, remove, restore } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', city: 'Goa', score: 1 } })
    await update(data.id, { data: { score: 2, city: 'Goa', note: { a: 1 } }, state: 'BUSY' })
    await update('lead_id/A', { data: { score: null, city: 'Goa' }, assignedTo: team.admin, status: 'COMPLETED' })
    await update(data.id, { data: { city: 'Goa' } })
    await remove(data.id)
    await restore(data.id)
    const lines = [
      '4 process.updated',
      `3 process.updated status: "OPEN" → "COMPLETED", state: "BUSY" → "WON", assignedTo: null → "${team.admin}", data.score: 2 → null`,
      '2 process.updated state: "NEW" → "BUSY", data.score: 1 → 2, data.note: null → {"a":1}',
      '1 process.created status: null → "OPEN", state: null → "NEW", data.lead_id: null → "A", data.city: null → "Goa", data.score: null → 1',
    ]
    const all = ['5 process.restored', '4 process.deleted', ...lines]
    expect(getLines(await history(data.id))).toEqual(all)
    expect(getLines(await history('lead_id/A'))).toEqual(all)
    expect((await history(data.id)).meta).toMatchObject({ hasMore: false, next: null, isComplete: true })
    await remove(data.id)
    expect(getLines(await history(data.id))).toEqual(['5 process.deleted', ...all])
    expect((await history('lead_id/A')).status).toBe(404)
  })

  it('leaves out a value with the same members in another order, at any depth, but not one with other elements', async () => {
    const { create, update, history, revert } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', note: { a: 1, b: [{ c: 2, d: 3 }, 4] } } })
    await update(data.id, { data: { note: { b: [{ d: 3, c: 2 }, 4], a: 1 } } })
    const kept = await revert(data.id, 1)
    expect(kept.headers.get('etag')).toBe('"2-0"')
    await update(data.id, { data: { note: { a: 1, b: [4, { c: 2, d: 3 }] } } })
    expect(getLines(await history(data.id)).slice(0, -1)).toEqual([
      '3 process.updated data.note: {"b":[{"d":3,"c":2},4],"a":1} → {"a":1,"b":[4,{"c":2,"d":3}]}',
      '2 process.updated',
    ])
  })

  it('comes in pages of any size, each change once, with the values of the creation on the last one', async () => {
    const { create, update, history } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', score: 0, only: 'first' } })
    for (let nth = 1; nth <= 7; nth++) await update(data.id, { data: { score: nth, [`a${nth % 3}`]: nth } })
    const whole = getLines(await history(data.id))
    for (const limit of [1, 3, 4, 7, 8]) {
      const lines: string[] = []
      for (let cursor = ''; ; ) {
        const page = await history(data.id, `?limit=${limit}${cursor}`)
        lines.push(...getLines(page))
        expect(page.meta.hasMore).toBe(page.meta.next !== null)
        if (page.meta.next === null) break
        expect(page.data).toHaveLength(limit)
        cursor = `&cursor=${page.meta.next}`
      }
      expect(lines).toEqual(whole)
    }
    expect(whole.at(-1)).toContain('data.only: null → "first"')
  })

  it('names the author: the key and the request, or the job and its entry', async () => {
    const { team, path, create, update, history } = await setUp()
    const { data } = await create({ data: { lead_id: 'A' } })
    const agent = await team.as('agent')
    const { meta } = await agent.call('PUT', `${path}/${data.id}`, { data: { score: 1 } })
    const processes = [
      { lead_id: 'NOBODY', update: { data: { score: 5 } } },
      { lead_id: 'A', update: { data: { score: 5 } } },
      { lead_id: 'A', update: { data: { city: 'Pune' }, state: 'BUSY' } },
    ]
    const job = await team.call('PATCH', path, { processes })
    await waitForJob(team, job.data.id)
    await update(data.id, { state: 'NEW' })
    const [last, third, second, first] = (await history(data.id)).data
    expect(last.by).toMatchObject({ user: team.admin, job: null, entry: null })
    expect(third.by).toEqual({
      user: team.admin,
      apiKey: null,
      session: null,
      request: null,
      job: job.data.id,
      entry: 2,
    })
    expect(second.by.entry).toBe(1)
    expect(first.by.request).toBe(meta.requestId)
    expect(first.by.apiKey).not.toBe(last.by.apiKey)
  })

  it('numbers its changes as the feed does, also where many share a row of the log', async () => {
    const { team, path, history } = await setUp()
    const made = Array.from({ length: 5 }, (_, nth) => ({ data: { lead_id: `K${nth}` } }))
    await waitForJob(team, (await team.call('POST', `${path}/bulk-create`, made)).data.id)
    const processes = made.map(({ data }) => ({ ...data, update: { data: { score: 1 } } }))
    await waitForJob(team, (await team.call('PATCH', path, { processes })).data.id)
    const numbers = await Promise.all(
      made.map(async ({ data }) =>
        (await history(`lead_id/${data.lead_id}`)).data.map((each: { sequence: number }) => each.sequence),
      ),
    )
    expect(numbers.flat().sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(numbers[2]).toEqual([8, 3])
  })

  it('begins where the log does, and ends where it was cut', async () => {
    const { team, create, update, history } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', score: 0 } })
    for (let nth = 1; nth <= 3; nth++) await update(data.id, { data: { score: nth } })
    await removeUpTo(team.no, 2)
    const cut = await history(data.id)
    expect(getLines(cut)).toEqual(['4 process.updated data.score: 2 → 3', '3 process.updated data.score: 1 → 2'])
    expect(cut.meta).toMatchObject({ hasMore: false, isComplete: false })
    await forget(data.id)
    expect(await history(data.id)).toMatchObject({ status: 200, data: [], meta: { isComplete: false } })
    await update(data.id, { data: { score: 9 } })
    expect(getLines(await history(data.id))).toEqual(['5 process.updated data.score: 3 → 9'])
  })

  it('has all names and values, however unusual', async () => {
    const { create, update, history, asOf } = await setUp()
    const odd = { 'a"b\\c': 1, __proto__x: 2, constructor: 'x', '': 'none', '~': [1, null], é: { 'b"': '\u0001' } }
    const names = JSON.parse('{"__proto__": "own"}')
    const { data } = await create({ data: { lead_id: 'A', ...odd, ...names } })
    const removed = Object.fromEntries([...Object.keys(odd), '__proto__'].map(name => [name, null]))
    await update(data.id, { data: removed })
    const [changed, created] = (await history(data.id)).data
    const byField = (each: { changes: { field: string; from: unknown; to: unknown }[] }) =>
      Object.fromEntries(each.changes.map(({ field, from, to }) => [field, [from, to]]))
    for (const [name, value] of Object.entries({ ...odd, ...names })) {
      expect(byField(changed)[`data.${name}`]).toEqual([value, null])
      expect(byField(created)[`data.${name}`]).toEqual([null, value])
    }
    expect((await asOf(data.id, 1)).data.data).toEqual(data.data)
  })

  it('refuses a malformed cursor, and a forged one leads nowhere', async () => {
    const { create, history } = await setUp()
    const { data } = await create({ data: { lead_id: 'A' } })
    await create({ data: { lead_id: 'B' } })
    expect((await history(data.id, '?cursor=x')).status).toBe(400)
    expect((await history(data.id, '?cursor=2.1.1..')).data).toEqual([])
    expect((await history(data.id, '?cursor=zzzzzzzzzz.1.1.zzzzzzzzzz.1')).status).toBe(200)
  })

  it('hides no process whose primary key is "history"', async () => {
    const { path, team, create, history } = await setUp()
    await create({ data: { lead_id: 'history', score: 7 } })
    expect((await team.call('GET', `${path}/lead_id/history`)).data.data.score).toBe(7)
    expect((await team.call('PUT', `${path}/lead_id/history`, { data: { score: 8 } })).status).toBe(200)
    expect((await history('lead_id/history')).data).toHaveLength(2)
    expect((await history('lead_id')).status).toBe(200)
    expect((await history('no_key')).status).toBe(404)
  })
})

describe('the customer in a history', () => {
  const phone = () => `91${Math.floor(Math.random() * 1e10)}`

  it('is shown from when the process was attached, until it was moved to another one', async () => {
    const { team, create, upsert, update, history, asOf } = await setUp()
    const [first, second] = [phone(), phone()]
    const { data: other } = await create({ record: { data: { phone: second, name: 'Ravi' } } })
    const { data } = await create({ data: { lead_id: 'A' }, record: { data: { phone: first, name: 'Asha' } } })
    const [asha, ravi] = [data.record.id, other.record.id]
    const rename = (id: string, name: string) => team.call('PUT', `/v1/ext/record/${id}`, { data: { name } })
    await rename(ravi, 'Ravi Iyer')
    await rename(asha, 'Asha Rao')
    await update(data.id, { data: { score: 1 } })
    await rename(asha, 'Asha Rao')
    await upsert({ data: { lead_id: 'A' }, record: { data: { phone: second } } })
    await rename(asha, 'Nobody of ours')
    await rename(ravi, 'Ravi K. Iyer')
    const lines = [
      '3 record.updated record.name: "Ravi Iyer" → "Ravi K. Iyer"',
      `3 process.updated record: "${asha}" → "${ravi}"`,
      '2 process.updated data.score: null → 1',
      '1 record.updated record.name: "Asha" → "Asha Rao"',
      `1 process.created status: null → "OPEN", state: null → "NEW", record: null → "${asha}", data.lead_id: null → "A"`,
    ]
    expect(getLines(await history(data.id))).toEqual(lines)
    const paged: string[] = []
    for (let cursor = ''; ; ) {
      const page = await history(data.id, `?limit=1${cursor}`)
      paged.push(...getLines(page))
      if (page.meta.next === null) break
      cursor = `&cursor=${page.meta.next}`
    }
    expect(paged).toEqual(lines)
    expect((await asOf(data.id, 1)).data.record.data.name).toBe('Asha')
    expect((await asOf(data.id, 2)).data.record.data.name).toBe('Asha Rao')
    expect((await asOf(data.id, 3)).data.record.data.name).toBe('Ravi Iyer')
    await team.call('DELETE', `/v1/ext/record/${asha}`)
    expect((await asOf(data.id, 2)).data.record).toBe(null)
    expect(getLines(await history(data.id))[1]).toBe(`3 process.updated record: null → "${ravi}"`)
  })
})

describe('a process as it was', () => {
  it('is shown by version and by time, with all that it had then', async () => {
    const { create, update, asOf, team } = await setUp()
    const states: Reply['data'][] = [(await create({ data: { lead_id: 'A', score: 1 } })).data]
    const { id } = states[0]
    states.push((await update(id, { data: { score: null, city: 'Goa' }, nextActionAt: 1_900_000_000_000 })).data)
    states.push((await update(id, { status: 'COMPLETED', assignedTo: team.admin })).data)
    states.push((await update(id, { status: 'OPEN', state: 'NEW', nextActionAt: null })).data)
    for (const [nth, state] of states.entries()) {
      expect((await asOf(id, nth + 1)).data).toEqual(state)
      expect((await asOf('lead_id/A', nth + 1)).data).toEqual(state)
      const until = (states[nth + 1]?.updatedAt ?? Date.now() + 1) - 1
      if (until < state.updatedAt) continue
      for (const at of [state.updatedAt, until]) {
        expect((await asOf(id, at)).data).toEqual(state)
        expect((await asOf(id, new Date(at).toISOString())).data).toEqual(state)
      }
    }
    expect((await asOf(id, states[0].createdAt - 1)).status).toBe(404)
    expect((await asOf(id, 5)).status).toBe(404)
  })

  it('has the tag of its version', async () => {
    const { create, update, fetch } = await setUp()
    const { data, headers } = await create({ data: { lead_id: 'A' } })
    await update(data.id, { data: { score: 1 } })
    const tag = headers.get('etag') ?? ''
    const past = await fetch(`${data.id}?asOf=1`)
    expect(past.headers.get('etag')).toBe(tag)
    expect((await fetch(`${data.id}?asOf=1`, { 'if-none-match': tag })).status).toBe(304)
    expect((await update(data.id, { data: { score: 2 } }, { 'if-match': tag })).status).toBe(412)
  })

  it('is not found while it was deleted, and is where it was not', async () => {
    const { create, asOf, remove, restore, team, path } = await setUp()
    const { data } = await create({ data: { lead_id: 'A' } })
    await remove(data.id)
    const [deletion] = (await team.call('GET', `${path}/${data.id}/history`)).data
    expect((await asOf(data.id, deletion.at)).status).toBe(404)
    expect((await asOf(data.id, 1)).data).toMatchObject({ id: data.id, isDeleted: false })
    if (deletion.at > data.createdAt) expect((await asOf(data.id, deletion.at - 1)).data).toEqual(data)
    const restored = await restore(data.id)
    if (restored.data.updatedAt > deletion.at) expect((await asOf(data.id, deletion.at)).status).toBe(404)
    expect((await asOf(data.id, 1)).data).toEqual(data)
    expect((await asOf(data.id, 2)).data).toEqual(restored.data)
    expect((await asOf(data.id, restored.data.updatedAt)).data).toEqual(restored.data)
  })

  it('is gone where the history was cut, and known as long as its oldest values were in force', async () => {
    const { team, create, update, asOf } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', score: 0 } })
    const states: Reply['data'][] = []
    for (let nth = 1; nth <= 3; nth++) states.push((await update(data.id, { data: { score: nth } })).data)
    // The event of version 3 is gone, but version 4 has the values that it replaced.
    await removeUpTo(team.no, 3)
    expect((await asOf(data.id, 3)).data).toEqual(states[1])
    expect((await asOf(data.id, states[1].updatedAt)).data).toEqual(states[1])
    for (const moment of [1, 2, data.createdAt]) {
      const gone = await asOf(data.id, moment)
      expect(gone.status).toBe(410)
      expect(gone.meta.errors).toMatchObject([{ code: 'history_expired', version: 3, since: states[1].updatedAt }])
    }
    expect((await asOf(data.id, data.createdAt - 1)).status).toBe(404)
    await forget(data.id)
    expect((await asOf(data.id, 4)).data).toEqual(states[2])
    expect((await asOf(data.id, states[2].updatedAt)).data).toEqual(states[2])
    expect((await asOf(data.id, 3)).status).toBe(410)
  })

  it.each([
    ['0', 400],
    ['1000000000', 400],
    ['1795362606', 400],
    ['999999999', 404],
    ['-5', 400],
    ['soon', 400],
    ['2026-01-31', 400],
    ['2024-01-31T00:00:00Z', 404],
    ['100000000000', 404],
    ['99999999999999', 400],
  ])('is answered for %s with %i', async (moment, status) => {
    const { create, asOf } = await setUp()
    const { data } = await create({ data: { lead_id: 'A' } })
    expect((await asOf(data.id, moment)).status).toBe(status)
  })
})

describe('blame', () => {
  it('names the change that gave each field its present value, and not those that repeated it', async () => {
    const { team, create, update, fetch, path } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', score: 1, city: 'Goa' } })
    await update(data.id, { data: { score: 2, note: 'x' }, state: 'BUSY' })
    await update(data.id, { data: { score: 3, city: 'Goa' } })
    await update(data.id, { data: { score: 2, note: null } })
    const loadVersions = async (at: string) => {
      const { blame } = (await fetch(`${data.id}?blame=true${at}`)).meta
      return Object.fromEntries(
        Object.entries(blame).map(([field, each]) => [field, (each as { version: number }).version]),
      )
    }
    const unchanged = { status: 1, nextActionAt: 1, assignedTo: 1, record: 1, 'data.lead_id': 1, 'data.city': 1 }
    expect(await loadVersions('')).toEqual({ ...unchanged, state: 2, 'data.score': 4 })
    expect(await loadVersions('&asOf=3')).toEqual({ ...unchanged, state: 2, 'data.score': 3, 'data.note': 2 })
    expect((await fetch(data.id)).meta).not.toHaveProperty('blame')
    expect((await fetch(`${data.id}?blame=false`)).meta).not.toHaveProperty('blame')
    const { meta } = await fetch(`lead_id/A?blame=true`)
    const [last] = (await team.call('GET', `${path}/${data.id}/history`)).data
    expect(meta.blame['data.score']).toEqual({ version: 4, at: last.at, by: last.by })
  })

  it('names the change of the customer that gave it each value, whichever call or process it came by', async () => {
    const { team, create, update, fetch } = await setUp()
    const phone = '919448300001'
    const made = await create({ data: { lead_id: 'A' }, record: { data: { phone, name: 'Asha', city: 'Pune' } } })
    const id = made.data.id
    await update(id, { data: { score: 1 } })
    const address = `/v1/ext/record/${made.data.record.id}`
    const renamed = await team.call('PUT', address, { data: { name: 'Meera', city: 'Pune' } })
    await update(id, { data: { score: 2 } })
    const other = await create({ data: { lead_id: 'B' }, record: { data: { phone, tier: 'gold' } } })
    const findFieldAuthors = async (which: string, query = '') =>
      (await fetch(`${which}?blame=true${query}`)).meta.blame
    const by = (request: string) => expect.objectContaining({ user: team.admin, request })
    const blame = await findFieldAuthors(id)
    expect(blame['record.phone']).toEqual({ version: 1, at: made.data.createdAt, by: by(made.meta.requestId) })
    expect(blame['record.city']).toEqual(blame['record.phone'])
    expect(blame['record.name']).toEqual({ version: 2, at: renamed.data.updatedAt, by: by(renamed.meta.requestId) })
    expect(blame['record.tier']).toMatchObject({ version: 3, by: by(other.meta.requestId) })
    // The other process sees none of it: the customer was made for the first one, and changed before this one had it.
    expect(await findFieldAuthors(other.data.id)).toMatchObject({
      record: { version: 1 },
      'record.phone': null,
      'record.name': { version: 1, at: renamed.data.updatedAt },
      'record.tier': { version: 1 },
    })
    const then = await findFieldAuthors(id, '&asOf=2')
    expect(then['record.name']).toMatchObject({ version: 1, at: made.data.createdAt })
    expect(then).not.toHaveProperty('record.tier')
    await team.call('DELETE', address)
    expect(Object.keys(await findFieldAuthors(id)).filter(field => field.startsWith('record.'))).toEqual([])
  })

  it('names no author of expired changes, except for a process unchanged since its creation', async () => {
    const { team, create, update, fetch } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', score: 1 } })
    await update(data.id, { data: { score: 2 } })
    await removeUpTo(team.no, 1)
    const known = (await fetch(`${data.id}?blame=true`)).meta.blame
    expect(known['data.lead_id']).toMatchObject({
      version: 1,
      at: data.createdAt,
      by: { user: team.admin, apiKey: null },
    })
    await update(data.id, { data: { city: 'Goa' } })
    await removeUpTo(team.no, 2)
    const { blame } = (await fetch(`${data.id}?blame=true`)).meta
    expect(blame).toMatchObject({ 'data.city': { version: 3 }, 'data.score': null, 'data.lead_id': null, state: null })
  })
})

describe('reverting', () => {
  it('restores the values of a version, as a new version', async () => {
    const { team, create, update, revert, history } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', score: 1, city: 'Goa' } })
    await update(data.id, { data: { score: null, note: 'x' }, state: 'BUSY', nextActionAt: 1_900_000_000_000 })
    await update(data.id, { status: 'COMPLETED', assignedTo: team.admin })
    const reverted = await revert(data.id, 1)
    expect(reverted.data).toEqual({ ...data, updatedAt: reverted.data.updatedAt })
    expect(reverted.headers.get('etag')).toBe('"4-0"')
    const again = await revert('lead_id/A', 2)
    expect(again.data).toMatchObject({
      state: 'BUSY',
      status: 'OPEN',
      nextActionAt: 1_900_000_000_000,
      data: { note: 'x' },
    })
    expect((await history(data.id)).data).toHaveLength(5)
  })

  it('restores the state with its status, whatever status the state implies', async () => {
    const { create, update, revert } = await setUp()
    const { data } = await create({ status: 'COMPLETED', state: 'BUSY' })
    await update(data.id, { status: 'OPEN', state: 'NEW' })
    expect((await revert(data.id, 1)).data).toMatchObject({ status: 'COMPLETED', state: 'BUSY' })
  })

  it('leaves a process alone that has these values, and answers a repeated request as the first', async () => {
    const { create, update, revert, fetch } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', score: 1 } })
    await update(data.id, { data: { score: 2 } })
    await update(data.id, { data: { score: 1 } })
    const key = { 'idempotency-key': 'one' }
    const kept = await revert(data.id, 1, key)
    expect(kept.headers.get('etag')).toBe('"3-0"')
    await update(data.id, { data: { score: 5 } })
    const replayed = await revert(data.id, 1, key)
    expect(replayed.data).toEqual(kept.data)
    expect((await fetch(data.id)).data.data.score).toBe(5)
    const done = await revert(data.id, 1, { 'idempotency-key': 'two' })
    expect(done.headers.get('etag')).toBe('"5-0"')
    const repeated = await revert(data.id, 1, { 'idempotency-key': 'two' })
    expect(repeated.headers.get('idempotency-replayed')).toBe('true')
    expect(repeated.data).toEqual(done.data)
    expect((await fetch(data.id)).headers.get('etag')).toBe('"5-0"')
  })

  it('is refused where an update would be, and names the obstacle', async () => {
    const { create, update, revert, define, fetch } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', score: 1, note: 'x' } })
    await update(data.id, { data: { lead_id: 'B', score: 2, note: null }, state: 'WON' })
    const { data: other } = await create({ data: { lead_id: 'A' } })
    const taken = await revert(data.id, 1)
    expect(taken.status).toBe(409)
    expect(taken.meta.errors).toMatchObject([
      { code: 'duplicate_primary_key', path: '/body/version', processId: other.id },
    ])
    const attributes = [attribute('lead_id', 'string'), attribute('score', 'boolean')]
    expect((await define({ strict: true, attributes })).status).toBe(200)
    const misfit = await revert(data.id, 1)
    expect(misfit.status).toBe(400)
    expect(misfit.errors.join()).toContain('"note" is not an attribute of this procedure')
    expect(misfit.errors.join()).toContain('"score"')
    // What fits can be put back by hand.
    const former = { status: 'OPEN', state: 'NEW', data: { lead_id: 'A', score: 1, note: 'x' } }
    const hints = misfit.meta.errors.map(({ hint }: { hint?: string }) => hint)
    expect(hints).toEqual([`the values of version 1: ${JSON.stringify(former)}`, undefined])
    const states = [{ shortId: 'NEW' }, { shortId: 'BUSY' }, { shortId: 'WON', next: [] }]
    await define({ states })
    await update(other.id, { data: { lead_id: 'C' } })
    const moved = await revert(data.id, 1)
    expect(moved.status).toBe(409)
    expect(moved.meta.errors[0].code).toBe('transition_not_allowed')
    expect((await fetch(data.id)).headers.get('etag')).toBe('"2-0"')
  })

  it('needs the version that the caller has seen, a version that exists, and a process that exists', async () => {
    const { create, update, revert, remove } = await setUp()
    const { data, headers } = await create({ data: { lead_id: 'A', score: 1 } })
    const tag = headers.get('etag') ?? ''
    const { headers: now } = await update(data.id, { data: { score: 2 } })
    expect((await revert(data.id, 1, { 'if-match': tag })).status).toBe(412)
    expect((await revert(data.id, 3)).status).toBe(404)
    expect((await revert(data.id, 0)).status).toBe(400)
    expect((await revert(data.id, 1, { 'if-match': now.get('etag') ?? '' })).status).toBe(200)
    await remove(data.id)
    expect((await revert(data.id, 1)).status).toBe(404)
  })
})
