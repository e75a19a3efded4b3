import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { parseCsv } from '../../src/import-file/csv.ts'
import { fetchWorker, newTeam, type Reply, type Team } from '../support/api.ts'
import { collected } from '../support/client.ts'
import {
  createLead,
  eraseEverywhere,
  expectNothingLeft,
  personalTeam,
  somePerson,
  untilErased,
} from '../support/erasing.ts'
import { loadShownEvents, switchFeed } from '../support/feed.ts'
import { Harness } from '../support/harness.ts'
import { bulk, JOBS, LEADS, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'

async function* pieces(text: string): AsyncGenerator<string> {
  yield text
}

async function createLeads(count = 3): Promise<{ team: Team; ids: string[] }> {
  const team = await newLeadTeam()
  const ids: string[] = []
  for (let nth = 0; nth < count; nth++) {
    const { data } = await team.call('POST', LEADS, { data: { lead_id: `L${nth}`, city: 'Pune', score: nth } })
    ids.push(data.id)
  }
  return { team, ids }
}

/** Fetches a process, without the members that each change changes. */
async function shown(team: Team, id: string): Promise<unknown> {
  const { status, data } = await team.call('GET', `${LEADS}/${id}`)
  const { updatedAt: _, ...rest } = data
  return { status, ...rest }
}

async function undo(team: Team, id: string): Promise<Reply> {
  const reply = await team.call('POST', `${JOBS}/${id}/undo`)
  expect(reply.errors).toEqual([])
  expect(reply.status).toBe(202)
  expect(reply.data).toMatchObject({ undoOf: id, retryOf: null })
  return waitForJob(team, reply.data.id)
}

const counts = ({ meta }: Reply) => meta.bjEntryCompletionStatusVsCount as Record<string, number>
const schedule = async (team: Team, entries: object[]): Promise<Reply> => {
  const reply = await team.call('POST', JOBS, { entries })
  expect(reply.errors).toEqual([])
  return waitForJob(team, reply.data.id)
}
const entry = (apiType: string, apiData: object) => ({ apiType, apiData: { procedureId: 'lead', ...apiData } })

describe('undoing a job', () => {
  it('restores the values of each updated process by one entry each, the last one first', async () => {
    const { team, ids } = await createLeads()
    const before = await Promise.all(ids.map(id => shown(team, id)))
    const { data: job } = await bulk(team, 'PATCH', [
      { id: ids[0], update: { data: { city: 'Goa', note: 'new' }, state: 'IN_PROGRESS' } },
      { id: ids[1], update: { data: { score: null }, status: 'COMPLETED', nextActionAt: 1_900_000_000_000 } },
      { id: ids[2], update: { data: { lead_id: 'moved' }, assignedTo: 'admin' } },
    ])
    const undone = await undo(team, job.id)
    expect(undone.data).toMatchObject({ completionStatus: 'SUCCESS', procedure: job.procedure, total: 3 })
    expect(await Promise.all(ids.map(id => shown(team, id)))).toEqual(before)
    const entries = await listEntries(team, undone.data.id)
    expect(entries.map(({ data, primaryKey }: never) => ({ data, primaryKey }))).toEqual(
      [2, 1, 0].map(index => ({
        data: {
          apiType: 'PROCESS_UNDO',
          apiData: {
            procedureId: job.procedure,
            processId: ids[index],
            undo: { backgroundJob: job.id, index },
          },
        },
        primaryKey: `L${index}`,
      })),
    )
    expect((await team.call('GET', `${JOBS}/${job.id}`)).meta.undoneBy).toBe(undone.data.id)
  })

  it('deletes what it has created, and restores what it has deleted', async () => {
    const { team, ids } = await createLeads()
    const { data: job } = await schedule(team, [
      entry('PROCESS_CREATE', { processCreate: { data: { lead_id: 'N' } } }),
      entry('PROCESS_DELETE', { processId: ids[0] }),
      entry('PROCESS_UPDATE', { processId: ids[1], processUpdate: { data: { city: 'Goa' } } }),
      entry('PROCESS_RESTORE', { processId: ids[0] }),
      entry('PROCESS_DELETE', { processId: ids[0] }),
      entry('PROCESS_RESTORE', { processId: ids[1] }),
      entry('PROCESS_UPDATE', {
        primaryKeyShortId: 'lead_id',
        primaryKeyValue: 'N',
        processUpdate: { data: { score: 1 } },
      }),
    ])
    expect(job.completionStatus).toBe('SUCCESS')
    const undone = await undo(team, job.id)
    // The restoration of what was there changed nothing: there is nothing to take back.
    expect(counts(undone)).toMatchObject({ SUCCESS: 6, ERROR: 0 })
    expect((await team.call('GET', `${LEADS}/lead_id/N`)).status).toBe(404)
    expect((await team.call('GET', `${LEADS}/${ids[0]}`)).data).toMatchObject({ data: { lead_id: 'L0', score: 0 } })
    expect((await team.call('GET', `${LEADS}/${ids[1]}`)).data.data.city).toBe('Pune')
  })

  it('leaves alone what somebody has changed since, and names who, entry by entry', async () => {
    const { team, ids } = await createLeads(4)
    const { data: job } = await bulk(
      team,
      'PATCH',
      ids.map(id => ({ id, update: { data: { city: 'Goa' } } })),
    )
    await team.call('PUT', `${LEADS}/${ids[0]}`, { data: { score: 50 } })
    await team.call('DELETE', `${LEADS}/${ids[1]}`)
    const { data: other } = await bulk(team, 'PATCH', [{ id: ids[2], update: { data: { score: 9 } } }])
    const undone = await undo(team, job.id)
    expect(counts(undone)).toMatchObject({ SUCCESS: 1, ERROR: 3 })
    const [three, two, one, zero] = await listEntries(team, undone.data.id)
    expect(three.completionStatus).toBe('SUCCESS')
    expect(two.completionResult.errors[0]).toMatchObject({
      code: 'changed_since',
      message: expect.stringMatching(
        `^since then the process was changed by entry 0 of the background job ${other.id}, at 20[-0-9T:.]+Z$`,
      ),
      event: 'process.updated',
      by: { job: other.id, entry: 0 },
    })
    const { name } = (await team.call('GET', '/v1/ext/api-key')).data[0]
    expect(one.completionMessage).toContain(`since then the process was deleted by the API key ${name}, at 20`)
    expect(zero.completionMessage).toContain(`since then the process was changed by the API key ${name}, at 20`)
    const groups = (await team.call('GET', `${JOBS}/${undone.data.id}/errors`)).data
    expect(groups.map(({ count, message }: never) => [count, message])).toEqual([
      [
        2,
        expect.stringMatching(
          /^since then the process was changed by … \(the values before, of .*: \{"data":\{"city":"Pune"\}\}\)$/,
        ),
      ],
      [1, one.completionMessage],
    ])
    expect((await team.call('GET', `${LEADS}/${ids[0]}`)).data.data).toMatchObject({ city: 'Goa', score: 50 })
    expect((await team.call('GET', `${LEADS}/${ids[3]}`)).data.data).toMatchObject({ city: 'Pune' })
  })

  it('tells of what it leaves alone the values of before, apart where somebody has changed the same field', async () => {
    const { team, ids } = await createLeads(4)
    const { data: job } = await bulk(
      team,
      'PATCH',
      ids.map(id => ({
        id,
        update: { data: { city: 'Goa', note: 'new' }, state: 'IN_PROGRESS', assignedTo: 'admin' },
      })),
    )
    // Another field; the same one, and others before and after that; the same one, to and fro; deleted.
    await team.call('PUT', `${LEADS}/${ids[0]}`, { data: { score: 50 } })
    await team.call('PUT', `${LEADS}/${ids[1]}`, { data: { score: 51 } })
    await team.call('PUT', `${LEADS}/${ids[1]}`, { data: { city: 'Oslo' } })
    await team.call('PUT', `${LEADS}/${ids[1]}`, { data: { score: 52 } })
    await team.call('PUT', `${LEADS}/${ids[2]}`, { data: { city: 'Oslo' } })
    await team.call('PUT', `${LEADS}/${ids[2]}`, { data: { city: 'Goa' } })
    for (let nth = 0; nth < 9; nth++) await team.call('PUT', `${LEADS}/${ids[3]}`, { data: { score: 60 + nth } })
    const undone = await undo(team, job.id)
    expect(counts(undone)).toMatchObject({ SUCCESS: 0, ERROR: 4 })
    const [three, two, one, zero] = (await listEntries(team, undone.data.id)).map(
      ({ completionResult: { changes, overwritten } }: { completionResult: Record<string, unknown> }) => ({
        changes,
        overwritten,
      }),
    )
    const { user } = (await team.call('GET', '/v1/ext/me')).data
    const fields = [
      { field: 'state', from: 'IN_PROGRESS', to: 'NEW' },
      { field: 'assignedTo', from: user.id, to: null },
    ]
    const city = { field: 'data.city', from: 'Goa', to: 'Pune' }
    const note = { field: 'data.note', from: 'new', to: null }
    expect(zero).toEqual({ changes: [...fields, city, note], overwritten: undefined })
    expect(one).toEqual({ changes: [...fields, note], overwritten: [{ ...city, from: 'Oslo' }] })
    expect(two).toEqual({ changes: [...fields, city, note], overwritten: undefined })
    const [last] = (await listEntries(team, undone.data.id)).slice(-1)
    expect(last.completionResult.errors[0].hint).toBe(
      'the values before, of what nobody has changed since: {"state":"NEW","assignedTo":null,"data":{"city":"Pune","note":null}}',
    )
    // What lies too far back is in the history.
    expect(three).toEqual({ changes: undefined, overwritten: undefined })
  })

  it('has results as CSV that say of what it left by whom it was changed and what was there before, for programs', async () => {
    const { team, ids } = await createLeads(5)
    const { data: job } = await bulk(
      team,
      'PATCH',
      ids.map(id => ({ id, update: { data: { city: 'Goa', note: 'new' }, state: 'IN_PROGRESS' } })),
    )
    await team.call('PUT', `${LEADS}/${ids[0]}`, { data: { score: 50 } })
    await team.call('PUT', `${LEADS}/${ids[1]}`, { data: { city: 'Oslo' } })
    const { data: other } = await bulk(team, 'PATCH', [{ id: ids[2], update: { data: { score: 9 } } }])
    await team.call('DELETE', `${LEADS}/${ids[3]}?purge=true`)
    const undone = await undo(team, job.id)
    expect(counts(undone)).toMatchObject({ SUCCESS: 1, ERROR: 4 })
    const response = await fetchWorker(`${JOBS}/${undone.data.id}/results`, {
      headers: { authorization: `Bearer ${team.token}`, accept: 'text/csv' },
    })
    const [header = [], ...rows] = (await collected(parseCsv(pieces(await response.text())))).map(({ cells }) => cells)
    expect(header.join()).toBe(
      'apiData,_status,_error,_hint,_id,_line,_event,_at,_user,_apiKey,_job,_before,_overwritten',
    )
    const table = rows.map(cells => Object.fromEntries(cells.map((cell, nth) => [header[nth] ?? '', cell])))
    const [done, purged, byJob, sameField, otherField] = table
    const { user, key } = (await team.call('GET', '/v1/ext/me')).data
    const nobody = { _event: '', _at: '', _user: '', _apiKey: '', _job: '', _before: '', _overwritten: '' }
    expect(done).toMatchObject({ _status: 'SUCCESS', _id: ids[4], ...nobody })
    expect(purged).toMatchObject({ _status: 'ERROR', _id: '', ...nobody })
    const itemOf = (data: object, id = ids[0]) => JSON.stringify({ id, state: 'NEW', data })
    const time = expect.stringMatching(/^20[-0-9T:.]+Z$/)
    const byKey = { _event: 'process.updated', _at: time, _user: user.id, _apiKey: key.id, _job: '' }
    expect(otherField).toMatchObject({ ...byKey, _before: itemOf({ city: 'Pune', note: null }), _overwritten: '' })
    expect(sameField).toMatchObject({
      ...byKey,
      _before: itemOf({ note: null }, ids[1]),
      _overwritten: JSON.stringify({ id: ids[1], data: { city: 'Pune' } }),
    })
    expect(byJob).toMatchObject({ _apiKey: '', _job: other.id, _before: itemOf({ city: 'Pune', note: null }, ids[2]) })
    // Each of them is an item of a bulk update.
    await bulk(team, 'PATCH', [JSON.parse(otherField?._before ?? ''), JSON.parse(sameField?._overwritten ?? '')])
    expect((await team.call('GET', `${LEADS}/${ids[0]}`)).data).toMatchObject({
      state: 'NEW',
      data: { city: 'Pune', score: 50 },
    })
    expect((await team.call('GET', `${LEADS}/${ids[1]}`)).data.data.city).toBe('Pune')
  })

  it('has no dry run, and says so', async () => {
    const { team, ids } = await createLeads(1)
    const { data: job } = await bulk(team, 'PATCH', [{ id: ids[0], update: { data: { city: 'Goa' } } }])
    const refused = await team.call('POST', `${JOBS}/${job.id}/undo?dryRun=true`)
    expect([refused.status, refused.errors]).toEqual([
      400,
      [
        'unknown parameter "dryRun" (this request takes no parameters; an undo has no dry run: it leaves what somebody has changed since, lists that, and can be undone itself)',
      ],
    ])
    expect((await team.call('GET', `${LEADS}/${ids[0]}`)).data.data.city).toBe('Goa')
  })

  it('has a hint that, sent as an item of a bulk update, gives a process the values of before', async () => {
    const { team, ids } = await createLeads(2)
    // Attributes with the names of fields are attributes still.
    const named = { state: 'Goa', id: 'seven', status: 'old', data: 'flat' }
    for (const id of ids) await team.call('PUT', `${LEADS}/${id}`, { data: named })
    const before = await Promise.all(ids.map(id => shown(team, id)))
    const { data: job } = await bulk(team, 'PATCH', [
      {
        id: ids[0],
        update: {
          data: { city: 'Goa', note: 'new', state: 'Kerala', id: null, status: 'new', data: 'nested' },
          state: 'IN_PROGRESS',
          nextActionAt: 1_900_000_000_000,
          assignedTo: 'admin',
        },
      },
      { id: ids[1], update: { status: 'COMPLETED' } },
    ])
    for (const id of ids) await team.call('PUT', `${LEADS}/${id}`, { data: { score: 50 } })
    const undone = await undo(team, job.id)
    expect(counts(undone)).toMatchObject({ SUCCESS: 0, ERROR: 2 })
    const items = (await listEntries(team, undone.data.id)).map(
      ({ completionResult: { id, errors } }: { completionResult: { id: string; errors: { hint: string }[] } }) => ({
        id,
        ...JSON.parse(errors[0]?.hint.replace(/^[^{]*/, '') ?? ''),
      }),
    )
    const { data: sent } = await bulk(team, 'PATCH', items)
    expect(sent.completionStatus).toBe('SUCCESS')
    for (const [nth, id] of ids.entries()) {
      await team.call('PUT', `${LEADS}/${id}`, { data: { score: nth } })
      expect(await shown(team, id)).toEqual(before[nth])
    }
  })

  it('passes over changes of others that changed nothing, however they were sent', async () => {
    const { team, ids } = await createLeads(2)
    const before = await Promise.all(ids.map(id => shown(team, id)))
    const changes = ids.map(id => ({ id, update: { data: { city: 'Goa', note: null }, state: 'IN_PROGRESS' } }))
    const { data: job } = await bulk(team, 'PATCH', changes)
    await bulk(team, 'PATCH', changes)
    await team.call('PUT', `${LEADS}/${ids[0]}`, { data: { city: 'Goa' }, state: 'IN_PROGRESS' })
    await team.call('PUT', `${LEADS}/${ids[1]}`, { data: { score: 7 } })
    await team.call('PUT', `${LEADS}/${ids[1]}`, { data: { score: 7 } })
    const undone = await undo(team, job.id)
    expect(counts(undone)).toMatchObject({ SUCCESS: 1, ERROR: 1 })
    expect(await shown(team, ids[0] ?? '')).toEqual(before[0])
    expect(await shown(team, ids[1] ?? '')).toMatchObject({ data: { city: 'Goa', score: 7 } })
  })

  it('can be undone itself, and that undo again', async () => {
    const { team, ids } = await createLeads()
    const before = await Promise.all(ids.map(id => shown(team, id)))
    const { data: job } = await bulk(team, 'PATCH', [
      { id: ids[0], update: { data: { city: 'Goa' } } },
      { id: ids[1], update: { isDeleted: true } },
      { id: ids[0], update: { data: { city: null, score: 7 } } },
    ])
    const after = await Promise.all(ids.map(id => shown(team, id)))
    let last: string = job.id
    for (const nth of [1, 2, 3, 4]) {
      const undone = await undo(team, last)
      const { undoneBy } = (await team.call('GET', `${JOBS}/${job.id}`)).meta
      expect(undoneBy === undefined, `undone after ${nth}`).toBe(nth % 2 === 0)
      expect(counts(undone), String(nth)).toMatchObject({ SUCCESS: 3, ERROR: 0 })
      expect(await Promise.all(ids.map(id => shown(team, id)))).toEqual(nth % 2 === 1 ? before : after)
      last = undone.data.id
    }
    // The undo has been undone, so it can be made again; a second time nothing is left to do.
    expect(counts(await undo(team, job.id))).toMatchObject({ SUCCESS: 3 })
    expect(await Promise.all(ids.map(id => shown(team, id)))).toEqual(before)
    const again = await undo(team, job.id)
    expect(counts(again)).toMatchObject({ SUCCESS: 3 })
    expect(again.data.statusMessage).toBe('All of 3 entries are taken back')
    expect((await team.call('GET', `${JOBS}/${job.id}`)).meta.undoneBy).toBe(again.data.id)
    const entries = await listEntries(team, again.data.id)
    expect(entries.map((each: { completionResult: object }) => each.completionResult)).toEqual(
      [ids[0], ids[1], ids[0]].map(id => expect.objectContaining({ id, unchanged: true })),
    )
    expect((await team.call('POST', `${JOBS}/${again.data.id}/undo`)).errors[0]).toContain('has changed nothing')
  })

  it('has nothing left to do where the job was undone, and then one before it', async () => {
    const { team, ids } = await createLeads(2)
    const { data: first } = await schedule(team, [
      entry('PROCESS_UPDATE', { processId: ids[0], processUpdate: { data: { city: 'Goa' } } }),
      entry('PROCESS_DELETE', { processId: ids[1] }),
      entry('PROCESS_CREATE', { processCreate: { data: { lead_id: 'N' } } }),
    ])
    const [, , made] = await listEntries(team, first.id)
    const { data: second } = await schedule(team, [
      entry('PROCESS_UPDATE', { processId: ids[0], processUpdate: { data: { score: 7 } } }),
      entry('PROCESS_RESTORE', { processId: ids[1] }),
      entry('PROCESS_UPDATE', { processId: made.completionResult.id, processUpdate: { data: { city: 'Goa' } } }),
      entry('PROCESS_UPDATE', { processId: ids[0], processUpdate: { data: { score: 8 } } }),
    ])
    const undone = await undo(team, second.id)
    const redone = await undo(team, undone.data.id)
    await undo(team, second.id)
    const last = await undo(team, first.id)
    expect(counts(last)).toMatchObject({ SUCCESS: 3 })
    const before = await Promise.all(ids.map(id => shown(team, id)))
    const resultsOfUndo = async (id: string): Promise<{ errors: { by: { job: string } }[] }[]> => {
      const again = await undo(team, id)
      const entries = await listEntries(team, again.data.id)
      return entries.map((each: { completionResult: object }) => each.completionResult)
    }
    for (const id of [second.id, undone.data.id, first.id]) {
      const results = await resultsOfUndo(id)
      expect(results).toEqual(results.map(() => expect.objectContaining({ unchanged: true })))
    }
    // What did it again was not undone itself: something came later.
    for (const { errors } of await resultsOfUndo(redone.data.id)) expect(errors[0]?.by.job).toBe(last.data.id)
    expect(await Promise.all(ids.map(id => shown(team, id)))).toEqual(before)
  })
})

describe('an undo that cannot be made', () => {
  it('is refused for a job that has not ended, has changed nothing, or is being undone', async () => {
    const { team, ids } = await createLeads(1)
    const later = await team.call('POST', JOBS, {
      entries: [entry('PROCESS_UPDATE', { processId: ids[0], processUpdate: { state: 'WON' } })],
      startAt: Date.now() + 3_600_000,
    })
    const refused = async (id: string) => {
      const { status, errors } = await team.call('POST', `${JOBS}/${id}/undo`)
      expect(status).toBe(409)
      return errors[0]
    }
    expect(await refused(later.data.id)).toContain('is still running')
    const { data: failed } = await bulk(team, 'PATCH', [{ id: 'NOBODY', update: {} }])
    expect(await refused(failed.id)).toContain('has changed nothing that could be undone')
    const { data: unchanged } = await bulk(team, 'PATCH', [{ id: ids[0], update: { isDeleted: false } }])
    expect(await refused(unchanged.id)).toContain('has changed nothing that could be undone')
    const dry = await team.call('PATCH', `${LEADS}?dryRun=true`, [{ id: ids[0], update: { data: { score: 5 } } }])
    await waitForJob(team, dry.data.id)
    expect(await refused(dry.data.id)).toContain('was a dry run: it has changed nothing')
    const { data: job } = await bulk(team, 'PATCH', [{ id: ids[0], update: { data: { score: 1 } } }])
    const harness = new Harness()
    const first = await harness.request(team, 'POST', `${JOBS}/${job.id}/undo`)
    expect(first.status).toBe(202)
    expect(await refused(job.id)).toContain(`is being undone by background job ${first.body._data.id}`)
    await harness.settle(team)
    expect((await team.call('POST', `${JOBS}/${job.id}/undo`)).status).toBe(202)
  })

  it('is refused while the job is being done again, undone once more, or an undo of it is retried: one runs at a time', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 10, sliceChunks: 2 } })
    const ask = async (id: string, what: 'undo' | 'retry' = 'undo') => {
      const body = what === 'retry' ? { statuses: ['CANCELLED'] } : undefined
      const { status, body: reply } = await harness.request(team, 'POST', `${JOBS}/${id}/${what}`, body)
      return { status, id: reply._data?.id as string, error: reply._errors[0] as string | undefined }
    }
    const countLeads = async () => (await team.call('GET', `${LEADS}/count`)).data.count
    const { data: job } = await bulk(team, 'POST', Array(45).fill({ data: { city: 'Goa' } }))
    const stopped = await ask(job.id)
    await harness.deliver()
    await team.call('POST', `${JOBS}/${stopped.id}/cancel`)
    await harness.settle(team)
    const rest = await ask(job.id)
    expect(await ask(stopped.id, 'retry')).toMatchObject({
      status: 409,
      error: expect.stringContaining(`is being undone by background job ${rest.id}`),
    })
    await harness.settle(team)
    expect(await countLeads()).toBe(0)
    const undone = (await ask(rest.id)).id
    const refusals = async (by: string, ...ids: string[]) => {
      for (const id of ids)
        expect(await ask(id)).toMatchObject({
          status: 409,
          error: `background job ${id} is being undone by background job ${by}: wait until that has ended`,
        })
    }
    await refusals(undone, job.id, stopped.id, rest.id)
    await harness.settle(team)
    const again = await ask(undone)
    expect(again.status).toBe(202)
    await refusals(again.id, job.id, rest.id, undone)
    await harness.settle(team)
    const both = await Promise.all([ask(job.id), ask(again.id), ask(rest.id)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409, 409])
  })

  it('is refused for messages, which nothing can recall', async () => {
    const { team, ids } = await createLeads(1)
    const whatsapp = await connectPlugin(team)
    const sending = {
      pluginId: whatsapp.id,
      phoneNumber: newNumber(),
      whatsappPhoneNumberId: whatsapp.phone.id,
      templateName: 'hello_world',
    }
    const { data: job } = await schedule(team, [
      entry('PROCESS_UPDATE', { processId: ids[0], processUpdate: { data: { score: 1 } } }),
      { apiType: 'TEMPLATE_MESSAGE', apiData: sending },
    ])
    expect(job.completionStatus).toBe('SUCCESS')
    const reply = await team.call('POST', `${JOBS}/${job.id}/undo`)
    expect([reply.status, reply.errors[0]]).toEqual([
      409,
      `background job ${job.id} has sent messages, which nothing takes back`,
    ])
    expect((await team.call('GET', `${JOBS}?limit=10`)).data).toHaveLength(1)
  })

  it('is refused where it is scheduled by hand, is of another team, or its caller may not write', async () => {
    const { team, ids } = await createLeads(1)
    const undoing = { processId: ids[0], undo: { backgroundJob: ids[0], index: 0 } }
    const byHand = await schedule(team, [entry('PROCESS_UNDO', undoing)])
    const [{ validationMessage }] = await listEntries(team, byHand.data.id)
    expect(validationMessage).toMatch(/^"apiType" must be one of PROCESS_UPDATE, PROCESS_CREATE, /)
    expect(validationMessage).not.toContain('PROCESS_UNDO')
    const { data: job } = await bulk(team, 'PATCH', [{ id: ids[0], update: { data: { score: 1 } } }])
    expect((await (await newTeam()).call('POST', `${JOBS}/${job.id}/undo`)).status).toBe(404)
    expect((await (await team.as('agent')).call('POST', `${JOBS}/${job.id}/undo`)).status).toBe(403)
    expect((await team.call('POST', `${JOBS}/${job.id}/undo?force=true`)).status).toBe(400)
  })

  it('fails where another process has the primary key by now, in the words of a single request', async () => {
    const { team, ids } = await createLeads(3)
    const { data: job } = await schedule(team, [
      entry('PROCESS_DELETE', { processId: ids[0] }),
      entry('PROCESS_UPDATE', { processId: ids[1], processUpdate: { data: { lead_id: 'moved' } } }),
      entry('PROCESS_UPDATE', { processId: ids[2], processUpdate: { data: { score: 5 } } }),
    ])
    const { data: thief } = await team.call('POST', LEADS, { data: { lead_id: 'L0' } })
    const { data: other } = await team.call('POST', LEADS, { data: { lead_id: 'L1' } })
    const undone = await undo(team, job.id)
    expect(counts(undone)).toMatchObject({ SUCCESS: 1, ERROR: 2 })
    const [, one, zero] = await listEntries(team, undone.data.id)
    expect(one.completionResult.errors[0]).toMatchObject({ code: 'duplicate_primary_key', processId: other.id })
    expect(zero.completionResult.errors[0]).toMatchObject({ code: 'duplicate_primary_key', processId: thief.id })
    // Once the keys are free, a retry of the undo does the rest.
    await team.call('DELETE', `${LEADS}/${thief.id}`)
    await team.call('DELETE', `${LEADS}/${other.id}`)
    const retry = await team.call('POST', `${JOBS}/${undone.data.id}/retry`)
    expect(retry.data).toMatchObject({ retryOf: undone.data.id, undoOf: job.id, total: 2 })
    expect(counts(await waitForJob(team, retry.data.id))).toMatchObject({ SUCCESS: 2 })
    expect((await team.call('GET', `${LEADS}/lead_id/L0`)).data.id).toBe(ids[0])
    expect((await team.call('GET', `${LEADS}/lead_id/L1`)).data.id).toBe(ids[1])
  })

  it('fails where the definition no longer allows a value, names it alone, and tells all values before', async () => {
    const { team, ids } = await createLeads(4)
    await team.call('PUT', `${LEADS}/${ids[0]}`, { state: 'IN_PROGRESS' })
    const { data: job } = await bulk(team, 'PATCH', [
      { id: ids[0], update: { state: 'NEW' } },
      { id: ids[1], update: { data: { city: null, note: 'new' } } },
      { id: ids[2], update: { data: { score: null } } },
      // The transitions allow no way back from here.
      { id: ids[3], update: { state: 'LOST' } },
    ])
    const definition = (await team.call('GET', '/v1/ext/procedure/lead')).data
    const changed = await team.call('PUT', '/v1/ext/procedure/lead', {
      ...definition,
      states: definition.states.filter(({ shortId }: { shortId: string }) => shortId !== 'IN_PROGRESS'),
      attributes: definition.attributes.map((each: { shortId: string }) =>
        each.shortId === 'city' ? { ...each, type: 'integer', indexed: false } : each,
      ),
    })
    expect(changed.errors).toEqual([])
    const undone = await undo(team, job.id)
    const entries = await listEntries(team, undone.data.id)
    expect(entries.map((each: { completionMessage: string }) => each.completionMessage)).toEqual([
      '',
      '',
      expect.stringMatching(/^"city" must be/),
      expect.stringMatching(/^the procedure has no state "IN_PROGRESS" anymore \(the values before/),
    ])
    const hintOf = (item: object) => `the values before, of what nobody has changed since: ${JSON.stringify(item)}`
    expect(entries[2].completionResult).toMatchObject({
      code: 'conflict',
      id: ids[1],
      primaryKey: 'L1',
      errors: [{ hint: hintOf({ data: { note: null, city: 'Pune' } }) }],
      changes: [
        { field: 'data.note', from: 'new', to: null },
        { field: 'data.city', from: null, to: 'Pune' },
      ],
    })
    expect(entries[3].completionResult).toMatchObject({
      errors: [{ hint: hintOf({ state: 'IN_PROGRESS' }) }],
      changes: [{ field: 'state', from: 'NEW', to: 'IN_PROGRESS' }],
    })
    const [last] = (await team.call('GET', `${LEADS}/${ids[3]}/history`)).data
    expect(last).toMatchObject({ forced: true, changes: [{ field: 'state', from: 'LOST', to: 'NEW' }] })
  })

  it('fails where the earlier values or the process itself are not stored any more', async () => {
    const { team, ids } = await createLeads(3)
    const { data: job } = await bulk(team, 'PATCH', [
      { id: ids[0], update: { data: { score: 5 } } },
      { id: ids[1], update: { data: { score: 5 } } },
      { id: ids[2], update: { isDeleted: true } },
    ])
    expect((await team.call('DELETE', `${LEADS}/${ids[0]}?purge=true`)).status).toBe(202)
    // The history has expired.
    await env.DB.prepare(
      'DELETE FROM event WHERE team = ? AND sequence < (SELECT max(sequence) FROM event WHERE team = ?)',
    )
      .bind(team.no, team.no)
      .run()
    const undone = await undo(team, job.id)
    const entries = await listEntries(team, undone.data.id)
    const codes = entries.map((each: { completionResult: { code: string } }) => each.completionResult.code)
    expect(codes.slice(0, 2)).toEqual(['history_expired', 'history_expired'])
    expect(['changed_since', 'not_found']).toContain(codes[2])
  })
})

describe('an undo of many steps', () => {
  const SMALL = { chunkEntries: 4, sliceChunks: 2 }

  it('goes back step by step where a process was changed several times, also from the archive', async () => {
    const { team, ids } = await createLeads(3)
    const before = await Promise.all(ids.map(id => shown(team, id)))
    const harness = new Harness({ JOB_TUNING: SMALL })
    const entries = Array.from({ length: 40 }, (_, nth) =>
      nth % 13 === 5
        ? entry('PROCESS_DELETE', { processId: ids[nth % 3] })
        : nth % 13 === 8
          ? entry('PROCESS_RESTORE', { processId: ids[(nth - 3) % 3] })
          : entry('PROCESS_UPDATE', {
              processId: ids[nth % 3],
              processUpdate: { data: { score: nth, [`note${nth % 4}`]: nth % 5 === 0 ? null : `n${nth}` } },
            }),
    )
    const { body } = await harness.request(team, 'POST', JOBS, { entries })
    await harness.settle(team)
    const after = await Promise.all(ids.map(id => shown(team, id)))
    let last: string = body._data.id
    for (const isArchived of [false, false, true, true]) {
      if (isArchived) await harness.runCron(Date.now() + 7_200_000)
      const undone = await harness.request(team, 'POST', `${JOBS}/${last}/undo`)
      expect(undone.status).toBe(202)
      await harness.settle(team)
      last = undone.body._data.id
      expect((await team.call('GET', `${JOBS}/${last}`)).data).toMatchObject({ completionStatus: 'SUCCESS' })
      const now = await Promise.all(ids.map(id => shown(team, id)))
      expect([before, after]).toContainEqual(now)
    }
    expect(await Promise.all(ids.map(id => shown(team, id)))).toEqual(after)
  })

  it('decides again where somebody changes a process between its read and its write', async () => {
    const { team, ids } = await createLeads(3)
    const { data: job } = await bulk(
      team,
      'PATCH',
      ids.map(id => ({ id, update: { data: { city: 'Goa' } } })),
    )
    let changed = 0
    const harness = new Harness(
      { JOB_TUNING: SMALL },
      {
        async before({ kind, sql }) {
          if (kind !== 'database' || !sql.includes('UPDATE "process"') || changed++ > 0) return
          await team.call('PUT', `${LEADS}/${ids[1]}`, { data: { score: 77 } })
        },
      },
    )
    const { body } = await harness.request(team, 'POST', `${JOBS}/${job.id}/undo`)
    await harness.settle(team)
    expect(changed).toBeGreaterThan(0)
    const entries = await listEntries(team, body._data.id)
    expect(entries.map((each: { completionStatus: string }) => each.completionStatus)).toEqual([
      'SUCCESS',
      'ERROR',
      'SUCCESS',
    ])
    expect((await team.call('GET', `${LEADS}/${ids[1]}`)).data.data).toMatchObject({ city: 'Goa', score: 77 })
  })
})

describe('an undo and customers', () => {
  it('returns processes to their earlier customer, and leaves customers as the job has left them', async () => {
    const { team, ids } = await createLeads(1)
    const [one, other] = [newNumber(), newNumber()]
    await team.call('PUT', `${LEADS}/${ids[0]}`, { record: { data: { phone: one } } })
    const { data: job } = await schedule(team, [
      entry('PROCESS_UPDATE', {
        processId: ids[0],
        processUpdate: { record: { data: { phone: other, name: 'Meera' } } },
      }),
      entry('PROCESS_CREATE', {
        processCreate: { data: { lead_id: 'N' }, record: { data: { phone: one, name: 'Asha' } } },
      }),
    ])
    expect(job.completionStatus).toBe('SUCCESS')
    expect(counts(await undo(team, job.id))).toMatchObject({ SUCCESS: 2 })
    const { data } = await team.call('GET', `${LEADS}/${ids[0]}`)
    expect(data.record.data).toEqual({ phone: one, name: 'Asha' })
    const [kept] = (await team.call('GET', `/v1/ext/record?phone=${other}`)).data
    expect(kept.data).toEqual({ phone: other, name: 'Meera' })
  })

  it('returns a process to the customer into whom its earlier one was merged, or to nobody, and tells so', async () => {
    const { team, ids } = await createLeads(3)
    await switchFeed(team)
    const customers: string[] = []
    for (let nth = 0; nth < 4; nth++) {
      const { data } = await team.call('POST', '/v1/ext/record', { data: { phone: newNumber() } })
      customers.push(data.id)
    }
    const [merged, erased, middle, survivor] = customers
    const owners = [merged, erased, merged]
    for (const [nth, id] of ids.entries()) await team.call('PUT', `${LEADS}/${id}`, { record: { id: owners[nth] } })
    const give = (nth: number, id = middle) =>
      entry('PROCESS_UPDATE', { processId: ids[nth], processUpdate: { record: { id } } })
    const { data: job } = await schedule(team, [give(0), give(1), give(2, survivor), give(2)])
    expect((await team.call('POST', `/v1/ext/record/${merged}/merge`, { into: survivor })).status).toBe(200)
    expect((await team.call('DELETE', `/v1/ext/record/${erased}`)).status).toBe(202)
    const after = (await loadShownEvents(team, 'process.updated')).at(-1)?.sequence ?? 0
    expect(counts(await undo(team, job.id))).toMatchObject({ SUCCESS: 4 })
    const told = (await loadShownEvents(team, 'process.updated')).filter(({ sequence }) => sequence > after)
    const steps = [
      { nth: 2, from: middle, to: survivor },
      { nth: 1, from: middle, to: null },
      { nth: 0, from: middle, to: survivor },
    ]
    for (const { nth, from, to } of steps) {
      const { data } = await team.call('GET', `${LEADS}/${ids[nth]}?blame=true`)
      expect(data.record?.id ?? null).toBe(to)
      const changes = told.filter(each => each.data.process.id === ids[nth]).flatMap(each => each.data.changes)
      expect(changes).toEqual([{ field: 'record', from, to }])
      const history = await team.call('GET', `${LEADS}/${ids[nth]}/history`)
      expect(history.data).toContainEqual(expect.objectContaining({ changes: [{ field: 'record', from, to }] }))
    }
  })

  it('decides again where the customer is merged between its read and its write', async () => {
    const { team, ids } = await createLeads(1)
    const make = async () => (await team.call('POST', '/v1/ext/record', { data: { phone: newNumber() } })).data.id
    const [merged, middle, survivor] = [await make(), await make(), await make()]
    await team.call('PUT', `${LEADS}/${ids[0]}`, { record: { id: merged } })
    const { data: job } = await bulk(team, 'PATCH', [{ id: ids[0], update: { record: { id: middle } } }])
    await switchFeed(team)
    let merges = 0
    const harness = new Harness(
      {},
      {
        async before({ kind, sql }) {
          if (kind !== 'database' || !sql.includes('UPDATE "process"') || merges++ > 0) return
          await team.call('POST', `/v1/ext/record/${merged}/merge`, { into: survivor })
        },
      },
    )
    const { body } = await harness.request(team, 'POST', `${JOBS}/${job.id}/undo`)
    await harness.settle(team)
    expect(merges).toBe(2)
    expect(await listEntries(team, body._data.id)).toMatchObject([{ completionStatus: 'SUCCESS' }])
    const changed = (await loadShownEvents(team, 'process.updated')).at(-1)
    expect(changed?.data).toMatchObject({
      process: { record: { id: survivor } },
      changes: [{ field: 'record', from: middle, to: survivor }],
    })
  })

  it('tells nothing of who was erased where it left alone what somebody had changed', async () => {
    const team = await personalTeam()
    const [person, changed] = [somePerson(), somePerson()]
    const made = await createLead(team, { lead_id: 'P', ...person, score: 1 })
    const values = { ...changed, phone_number: person.phone_number }
    const { data: job } = await bulk(team, 'PATCH', [{ id: made.id, update: { data: values } }])
    await team.call('PUT', `${LEADS}/${made.id}`, { data: { score: 2 } })
    const undone = await undo(team, job.id)
    const [refused] = await listEntries(team, undone.data.id)
    expect(JSON.stringify(refused.completionResult.changes)).toContain(person.name)
    await eraseEverywhere(team, made.record.id)
    await untilErased(team, made.record.id)
    await expectNothingLeft({ ...person, ...changed })
  })

  it('never restores what was erased', async () => {
    const team = await personalTeam()
    const [person, changed] = [somePerson(), somePerson()]
    const made = await createLead(team, { lead_id: 'P', ...person, score: 1 })
    const kept = await createLead(team, { lead_id: 'K', score: 1 })
    const { data: job } = await bulk(team, 'PATCH', [
      { id: made.id, update: { data: { ...changed, phone_number: person.phone_number, score: 2 } } },
      { id: kept.id, update: { data: { score: 2 } } },
    ])
    await eraseEverywhere(team, made.record.id)
    // The sweep has not come to the job yet: and when it has, it is the same.
    for (const isErased of [false, true]) {
      if (isErased) await untilErased(team, made.record.id)
      const undone = await undo(team, job.id)
      expect(counts(undone)).toMatchObject({ SUCCESS: 1, ERROR: 1 })
      expect((await team.call('GET', `${LEADS}/${kept.id}`)).data.data.score).toBe(1)
    }
    await expectNothingLeft({ ...person, ...changed })
  })
})
