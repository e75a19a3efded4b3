import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { bulk, JOBS, LEADS, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { connectPlugin } from '../support/provider.ts'

const ATTRIBUTES = [
  { shortId: 'lead_id', name: 'Lead', type: 'string' },
  { shortId: 'city', name: 'City', type: 'string' },
  { shortId: 'score', name: 'Score', type: 'integer' },
  { shortId: 'isHot', name: 'Hot', type: 'boolean' },
  { shortId: 'source', name: 'Source', type: 'stringEnum', values: ['Web', 'Phone'] },
  { shortId: 'blood', name: 'Blood group', type: 'stringEnum', values: ['A', 'B'], personal: true },
]

async function teamWithLeads(count = 3): Promise<Team> {
  const team = await newLeadTeam({ attributes: ATTRIBUTES })
  const processes = Array.from({ length: count }, (_, nth) => ({ data: { lead_id: `L-${nth}` } }))
  await bulk(team, 'POST', { processes })
  return team
}

const titleOfWhere = async (team: Team, update: object): Promise<string> =>
  (await bulk(team, 'PATCH', { where: {}, all: true, update })).data.title

const titleOfList = async (team: Team, updates: object[]): Promise<string> =>
  (await bulk(team, 'PATCH', { processes: updates.map((update, nth) => ({ lead_id: `L-${nth}`, update })) })).data.title

describe('the title of a job', () => {
  it('says what all its entries do, with the names of the team', async () => {
    const team = await teamWithLeads()
    const user = { username: 'meera', firstName: 'Meera', lastName: 'Iyer', role: 'agent' }
    const { data: meera } = await team.call('POST', '/v1/ext/user', user)
    expect(await titleOfWhere(team, { assignedTo: 'meera' })).toBe('Assignee → Meera Iyer on 3 processes of Lead')
    expect(await titleOfList(team, [{ assignedTo: meera.id, data: { isHot: true } }])).toBe(
      'Assignee → Meera Iyer, Hot → yes on 1 process of Lead',
    )
    const none = { assignedTo: null, nextActionAt: 1_795_276_206_000, data: { source: 'Web' } }
    expect(await titleOfWhere(team, none)).toBe(
      'Next action → 2026-11-21 15:50 UTC, Assignee → nobody, Source → Web on 3 processes of Lead',
    )
    expect(await titleOfList(team, [{ state: 'IN_PROGRESS' }, { state: 'IN_PROGRESS' }])).toBe(
      'State → IN_PROGRESS on 2 processes of Lead',
    )
  })

  it('names what is changed where entries differ or change much', async () => {
    const team = await teamWithLeads()
    expect(await titleOfList(team, [{ state: 'IN_PROGRESS' }, { state: 'LOST' }])).toBe(
      'Change State of 2 processes of Lead',
    )
    expect(await titleOfList(team, [{ data: { isHot: true } }, { data: { isHot: true, score: 1 } }])).toBe(
      'Change Hot, Score of 2 processes of Lead',
    )
    const much = { status: 'COMPLETED', data: { isHot: true, source: 'Web', score: 7, city: 'Oslo' } }
    expect(await titleOfWhere(team, much)).toBe('Change Status, Hot, Source, 2 more of 3 processes of Lead')
  })

  it('has no name of what is unknown, of an entry or of a field', async () => {
    const team = await teamWithLeads()
    expect(await titleOfList(team, [{ state: 'LOST' }, { floors: 5, state: 'NEW' }])).toBe(
      'Change State of 2 processes of Lead',
    )
    const scheduled = await team.call('POST', JOBS, { entries: [{ apiType: 'NOTHING', apiData: {} }] })
    expect(scheduled.data.title).toBe('1 entry')
  })

  it('says of a retry that it corrects only where it has something to correct', async () => {
    const team = await teamWithLeads()
    const made = await bulk(team, 'PATCH', [{ lead_id: 'L-0', data: { score: 'many' } }])
    await waitForJob(team, made.data.id)
    const retry = { statuses: ['INVALID'], update: {} }
    const { data } = await team.call('POST', `${JOBS}/${made.data.id}/retry`, retry)
    expect(data.title).toBe('Retry: Change Score of 1 process of Lead')
  })

  it('has no value by which a person may be identified', async () => {
    const team = await teamWithLeads()
    const said = [
      await titleOfWhere(team, { data: { city: 'Erika' } }),
      await titleOfWhere(team, { data: { score: 491 } }),
      await titleOfWhere(team, { data: { blood: 'A' } }),
      await titleOfList(team, [{ data: { source: 'Erika' } }]),
      await titleOfList(team, [{ state: 'Erika' }]),
      await titleOfList(team, [{ assignedTo: 'Erika' }]),
      await titleOfList(team, [{ record: { data: { name: 'Erika' } } }]),
    ]
    expect(said).toEqual([
      'Change City of 3 processes of Lead',
      'Change Score of 3 processes of Lead',
      'Change Blood group of 3 processes of Lead',
      'Change Source of 1 process of Lead',
      'Change State of 1 process of Lead',
      'Change Assignee of 1 process of Lead',
      'Change Customer of 1 process of Lead',
    ])
  })

  it('says what is created, deleted and restored, for a table as for a list', async () => {
    const team = await teamWithLeads()
    const made = await bulk(team, 'POST', { processes: [{ data: { lead_id: 'N' } }] })
    expect(made.data.title).toBe('Create 1 process of Lead')
    expect((await bulk(team, 'UPSERT', [{ data: { lead_id: 'N' } }, { data: { lead_id: 'M' } }])).data.title).toBe(
      'Create or change 2 processes of Lead',
    )
    const table = await team.call('PATCH', LEADS, 'lead_id,state\nL-0,LOST\nL-1,LOST\n', { 'content-type': 'text/csv' })
    expect(table.data.title).toBe('State → LOST on 2 processes of Lead')
    await waitForJob(team, table.data.id)
    expect(await titleOfWhere(team, { isDeleted: true })).toBe('Delete 5 processes of Lead')
    const [{ completionResult }] = await listEntries(team, made.data.id)
    expect((await bulk(team, 'PATCH', { processes: [{ id: completionResult.id, isDeleted: false }] })).data.title).toBe(
      'Restore 1 process of Lead',
    )
    const both = {
      processes: [
        { id: completionResult.id, isDeleted: true },
        { lead_id: 'N', state: 'LOST' },
      ],
    }
    expect((await bulk(team, 'PATCH', both)).data.title).toBe('Change 2 processes of Lead')
  })

  it('is that of the first job for a job that follows from it', async () => {
    const team = await teamWithLeads()
    const act = async (id: string, action: string): Promise<{ id: string; title: string }> => {
      const reply = await team.call('POST', `${JOBS}/${id}/${action}`)
      expect(reply.errors).toEqual([])
      return (await waitForJob(team, reply.data.id)).data
    }
    const processes = [
      { lead_id: 'L-0', update: { data: { isHot: true } } },
      { lead_id: 'missing', update: { data: { isHot: true } } },
    ]
    const dryRun = await team.call('PATCH', `${LEADS}?dryRun=true`, { processes })
    expect(dryRun.data.title).toBe('Dry run: Hot → yes on 2 processes of Lead')
    await waitForJob(team, dryRun.data.id)
    const applied = await act(dryRun.data.id, 'apply')
    expect(applied.title).toBe('Hot → yes on 2 processes of Lead')
    expect((await act(applied.id, 'retry')).title).toBe('Retry: Hot → yes on 1 process of Lead')
    const undone = await act(applied.id, 'undo')
    expect(undone.title).toBe('Undo: Hot → yes on 1 process of Lead')
    const redone = await act(undone.id, 'undo')
    expect(redone.title).toBe('Redo: Hot → yes on 1 process of Lead')
    expect((await act(redone.id, 'undo')).title).toBe('Undo: Hot → yes on 1 process of Lead')
  })

  it('does not repeat, for a corrected retry, what was requested first', async () => {
    const team = await teamWithLeads()
    const { data } = await bulk(team, 'PATCH', {
      processes: [
        { lead_id: 'L-0', update: { state: 'LOST' } },
        { lead_id: 'missing', update: { state: 'LOST' } },
      ],
    })
    await waitForJob(team, data.id)
    const retried = await team.call('POST', `${JOBS}/${data.id}/retry`, { update: { state: 'IN_PROGRESS' } })
    expect([retried.errors, retried.data.title]).toEqual([[], 'Retry: State → LOST on 1 process of Lead, corrected'])
  })

  it('names the template of messages', async () => {
    const team = await teamWithLeads()
    const whatsapp = await connectPlugin(team)
    const sent = await team.call('POST', `${whatsapp.base}/process/lead/bulk-send-template-message`, {
      whatsappPhoneNumberId: whatsapp.phone.id,
      templateName: 'hello_world',
      where: {},
      all: true,
    })
    expect([sent.errors, sent.data.title]).toEqual([[], 'Send hello_world for 3 processes of Lead'])
  })

  it('says of entries scheduled by hand what they have in common', async () => {
    const team = await teamWithLeads()
    const at = Date.now() + 3_600_000
    const deletion = { apiType: 'PROCESS_DELETE', apiData: { procedureId: 'lead', processId: 'L-0' } }
    const change = {
      apiType: 'PROCESS_UPDATE',
      apiData: { procedureId: 'lead', processId: 'L-1', processUpdate: { data: { isHot: true } } },
    }
    const schedule = async (...entries: object[]) =>
      (await team.call('POST', JOBS, { entries, startAt: at })).data.title
    expect(await schedule(deletion, deletion)).toBe('Delete 2 processes')
    expect(await schedule(deletion, change)).toBe('2 entries')
    const { data } = await team.call('GET', JOBS)
    expect(data.map((job: { title: string }) => job.title).slice(0, 2)).toEqual(['2 entries', 'Delete 2 processes'])
  })
})
