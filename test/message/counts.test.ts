import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/ids.ts'
import { DAY_MS } from '../../src/time-units.ts'
import { newTeam, type Team } from '../support/api.ts'
import { connectPlugin } from '../support/provider.ts'

const STATUSES = ['PENDING', 'UNKNOWN', 'SENT', 'FAILED', 'DELIVERED', 'READ']
const EPOCH_MS = 1_704_067_200_000

const TEMPLATE = crypto.randomUUID()
let inserted = 0

/** Messages as they would be after a while, without being sent. */
async function insert(team: Team, messages: { at: number; status: string; isReceived?: boolean; template?: string }[]) {
  const plugin = await env.DB.prepare('SELECT no FROM plugin WHERE team = ?').bind(team.no).first<{ no: number }>()
  await env.DB.batch(
    messages.map(({ at, status, isReceived, template = null }) => {
      const tail = inserted++ % 4096
      const id = newId(at, tail)
      const rid = (at - EPOCH_MS) * 4096 + tail
      return env.DB.prepare(
        `INSERT INTO message (rid, id, team, plugin, sender, graph_version, phone, template, data_type, text, request,
          delivery, history, user, source_id, updated_at, received)
        VALUES (?1, ?2, ?3, ?4, 's', 'v23.0', '919448300007', ?5, 'text', 'Hi', jsonb('{}'), ?6, jsonb('[]'), ?7, ?7, ?8, jsonb(?9))`,
      ).bind(
        ...[rid, id, team.no, plugin?.no ?? 0, template, STATUSES.indexOf(status), team.admin, at],
        isReceived ? JSON.stringify({ profileName: null, content: {}, at, inReplyTo: null, template: null }) : null,
      )
    }),
  )
}

const at = (day: number, hour: number) => Date.UTC(2026, 9, day, hour, 31)
const RANGE = `from=${Date.UTC(2026, 9, 1)}&to=${Date.UTC(2026, 10, 1)}`

async function filledTeam(): Promise<Team> {
  const team = await newTeam()
  await connectPlugin(team)
  await insert(team, [
    { at: at(5, 1), status: 'READ' },
    { at: at(5, 20), status: 'READ', template: TEMPLATE },
    { at: at(5, 20), status: 'FAILED' },
    { at: at(6, 1), status: 'SENT' },
    { at: at(6, 2), status: 'SENT', isReceived: true },
    { at: at(9, 1) - 30 * DAY_MS, status: 'READ' },
  ])
  return team
}

const counted = async (team: Team, query: string) =>
  (await team.call('GET', `/v1/ext/message/count?${RANGE}&${query}`)).data.map(
    ({ day, status, plugin, template, count }: Record<string, unknown>) => [day, status ?? template ?? plugin, count],
  )

describe('counts of messages', () => {
  it('are by status, and by days of a time zone', async () => {
    const [team, other] = [await filledTeam(), await filledTeam()]
    expect((await counted(team, 'groupBy=status')).sort()).toEqual([
      [null, 'FAILED', 1],
      [null, 'READ', 2],
      [null, 'SENT', 1],
    ])
    const byDay = [
      ['2026-10-05', 'FAILED', 1],
      ['2026-10-05', 'READ', 2],
      ['2026-10-06', 'SENT', 1],
    ]
    expect((await counted(team, 'by=day')).sort()).toEqual(byDay)
    expect((await counted(other, 'by=day')).sort()).toEqual(byDay)
    // 20:31 in UTC is 02:01 of the next day in India.
    expect((await counted(team, 'by=day&timeZone=Asia/Kolkata')).sort()).toEqual([
      ['2026-10-05', 'READ', 1],
      ['2026-10-06', 'FAILED', 1],
      ['2026-10-06', 'READ', 1],
      ['2026-10-06', 'SENT', 1],
    ])
  })

  it('take filters, and refuse what they cannot count', async () => {
    const team = await filledTeam()
    expect(await counted(team, 'status=READ&groupBy=template')).toHaveLength(2)
    expect(await counted(team, 'direction=INBOUND')).toEqual([[null, 'SENT', 1]])
    const [{ id: plugin }] = (await team.call('GET', '/v1/ext/plugin')).data
    expect(await counted(team, `plugin=${plugin.toUpperCase()}&groupBy=plugin`)).toEqual([[null, plugin, 4]])
    for (const query of [
      'timeZone=Mars/Phobos',
      `from=${at(1, 0) - 100 * DAY_MS}`,
      'from=2026-12-01T00:00:00Z',
      'by=year',
    ])
      expect((await team.call('GET', `/v1/ext/message/count?to=${at(30, 0)}&${query}`)).status, query).toBe(400)
  })

  it('continue by a cursor, and add up to all', async () => {
    const team = await filledTeam()
    const whole = await counted(team, 'groupBy=status')
    const beyond = await team.call('GET', `/v1/ext/message/count?${RANGE}&cursor=1`)
    expect(beyond.data).toEqual([])
    expect(whole.reduce((sum: number, [, , count]: [unknown, unknown, number]) => sum + count, 0)).toBe(4)
  })
})

it('counts of the last 92 days need no end, and no list begins after its end', async () => {
  const team = await newTeam()
  const count = async (query: string) => (await team.call('GET', `/v1/ext/message/count?${query}`)).status
  expect(await count(`from=${Date.now() - 92 * DAY_MS + 60_000}`)).toBe(200)
  expect(await count(`from=${Date.now() - 92 * DAY_MS - 60_000}`)).toBe(400)
  const list = await team.call('GET', `/v1/ext/message?from=${at(5, 0)}&to=${at(4, 0)}`)
  expect(list).toMatchObject({ status: 400, meta: { errors: [{ path: '/query/from' }] } })
})

describe('the list of all messages of a team', () => {
  it('is newest first, in pages that neither repeat nor skip one, with filters', async () => {
    const team = await filledTeam()
    await filledTeam()
    const whole = await team.call('GET', '/v1/ext/message?limit=100')
    const times = whole.data.map((each: { createdAt: number }) => each.createdAt)
    expect(times).toHaveLength(6)
    expect(times).toEqual([...times].sort((one, other) => other - one))
    const paged: unknown[] = []
    let cursor = ''
    do {
      const page = await team.call('GET', `/v1/ext/message?limit=2${cursor && `&cursor=${cursor}`}`)
      paged.push(...page.data)
      cursor = page.meta.next ?? ''
    } while (cursor !== '')
    expect(paged).toEqual(whole.data)
    const found = async (query: string) => (await team.call('GET', `/v1/ext/message?${query}`)).data.length
    expect(await found('status=READ')).toBe(3)
    expect(await found(`status=READ&from=${at(5, 0)}`)).toBe(2)
    expect(await found('direction=INBOUND')).toBe(1)
    expect(await found(`template=${TEMPLATE}`)).toBe(1)
    for (const query of ['status=NOPE', 'phoneNumber=919448300007&status=READ', 'skip=1'])
      expect((await team.call('GET', `/v1/ext/message?${query}`)).status, query).toBe(400)
  })
})

describe('a filter by template or plugin', () => {
  const LIST = `/v1/ext/message?limit=100&${RANGE}`
  const COUNT = `/v1/ext/message/count?${RANGE}`

  async function teamWithTemplates() {
    const team = await newTeam()
    const [first, second] = [await connectPlugin(team), await connectPlugin(team)]
    const templates = async (of: { base: string }) => (await team.call('GET', `${of.base}/templates`)).data
    const filterByName = (all: { id: string; name: string }[], name: string) => all.filter(each => each.name === name)
    const [one, other] = [await templates(first), await templates(second)]
    const updates = [...filterByName(one, 'order_update'), ...filterByName(other, 'order_update')].map(({ id }) => id)
    const hello = filterByName(one, 'hello_world')[0]?.id ?? ''
    await insert(
      team,
      [...updates, hello].map(template => ({ at: at(5, 1), status: 'READ', template })),
    )
    return { team, first, updates, hello }
  }

  it('accepts the name of a template, for all its languages and plugins, or its id', async () => {
    const { team, updates, hello } = await teamWithTemplates()
    expect(updates.length).toBeGreaterThan(1)
    for (const [template, ids] of [
      ['order_update', updates],
      ['hello_world', [hello]],
      [hello.toUpperCase(), [hello]],
    ] as const) {
      const rows = (await team.call('GET', `${LIST}&template=${template}`)).data
      expect(
        rows.map((each: { context: { messageTemplateId: string } }) => each.context.messageTemplateId).sort(),
      ).toEqual([...ids].sort())
      const [{ count }] = (await team.call('GET', `${COUNT}&template=${template}`)).data
      expect(count).toBe(ids.length)
    }
  })

  it.each([LIST, COUNT])('refuses what the team does not have: %s', async path => {
    const { team } = await teamWithTemplates()
    const other = await teamWithTemplates()
    const fault = async (query: string) => {
      const { status, meta } = await team.call('GET', `${path}&${query}`)
      return [status, meta.errors?.[0].path, meta.errors?.[0].hint]
    }
    expect(await fault('template=order_updaet')).toEqual([400, '/query/template', 'did you mean "order_update"?'])
    expect(await fault(`template=${crypto.randomUUID()}`)).toEqual([400, '/query/template', undefined])
    expect(await fault(`template=${other.hello}`)).toEqual([400, '/query/template', undefined])
    expect(await fault(`plugin=${crypto.randomUUID()}`)).toEqual([400, '/query/plugin', undefined])
    expect(await fault(`plugin=${other.first.id}`)).toEqual([400, '/query/plugin', undefined])
  })

  it('finds the messages of a template and a plugin that are gone, and none for a template without messages', async () => {
    const { team, first, hello } = await teamWithTemplates()
    await env.DB.prepare('DELETE FROM template WHERE id = ?').bind(hello).run()
    expect((await team.call('GET', `${LIST}&template=${hello}`)).data).toHaveLength(1)
    const [unused] = (await team.call('GET', `${first.base}/templates`)).data.filter(
      ({ name }: { name: string }) => name !== 'order_update',
    )
    expect((await team.call('GET', `${LIST}&template=${unused.name}`)).data).toEqual([])
    expect((await team.call('GET', `${COUNT}&template=${unused.id}`)).data).toEqual([])
    expect((await team.call('DELETE', first.base)).status).toBe(200)
    expect((await team.call('GET', `${LIST}&plugin=${first.id}`)).status).toBe(200)
  })
})

it('jobs are counted by status', async () => {
  const team = await newTeam()
  const { data } = await team.call('GET', '/v1/ext/background-job/count')
  expect(data).toHaveLength(5)
  expect(data.every(({ count }: { count: number }) => count === 0)).toBe(true)
})
