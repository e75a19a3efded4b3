import { describe, expect, it, vi } from 'vitest'
import { type Caller, createCaller } from '../scripts/demo/caller.ts'
import { runCampaigns, sendMessages } from '../scripts/demo/messages.ts'
import { newTeam, ORIGIN } from './support/api.ts'
import { createClient, type Trouble, troubled } from './support/client.ts'
import { newProcedure } from './support/procedures.ts'
import { connectPlugin } from './support/provider.ts'

interface Sent {
  number: string
  direction: string
  text: unknown
}

/** Emulates the state of API and emulator; from the call with the number `last` on, the start is interrupted. */
function newPlace() {
  const messages: Sent[] = []
  const jobs: string[] = []
  const customers = (state: string, limit: number) =>
    Array.from({ length: limit }, (_, nth) => ({
      id: `${state} ${nth}`,
      data: {
        enquiry_id: `${nth}`,
        name: 'Asha',
        phone_number: `${state === 'OFFER_SENT' ? 91 : 49}900000${nth}`,
        product: 'roof',
      },
    }))
  const getNumber = (id: string) =>
    customers(id.split(' ')[0] ?? '', 12).find(each => each.id === id)?.data.phone_number ?? ''
  function answer(method: string, path: string, body: Record<string, unknown>): unknown {
    const url = new URL(path, 'http://localhost')
    const to = /process\/enquiry\/([^/]+)\/send|phoneNumber\/(\d+)\/send/.exec(decodeURI(url.pathname))
    const [, process, number] = to ?? []
    if (url.pathname.endsWith('/process/list')) {
      const { where, limit } = body as { where: { state: string }; limit: number }
      return customers(where.state, limit)
    }
    if (method === 'GET' && url.pathname === '/v1/ext/message') {
      expect([...url.searchParams.keys()]).toEqual(['phoneNumber', 'limit'])
      return messages.filter(each => each.number === url.searchParams.get('phoneNumber'))
    }
    if (method === 'GET' && url.pathname === '/v1/ext/background-job') return jobs.map(id => ({ id }))
    if (method === 'GET') return [{ data: { apiData: { templateName: url.pathname.split('/').at(-2) } } }]
    if (to)
      messages.push({ number: number ?? getNumber(process ?? ''), direction: 'OUTBOUND', text: body.templateName })
    if (path.startsWith('/inbound')) {
      const { caption } = (body.content ?? {}) as { caption?: string }
      messages.push({ number: String(body.from), direction: 'INBOUND', text: body.text ?? caption })
    }
    if (url.pathname.endsWith('/bulk-send-template-message')) jobs.push(String(body.templateName))
    return {}
  }
  return {
    messages,
    jobs,
    start(last: number): { made: Promise<unknown>; calls: () => number } {
      let calls = 0
      const call = async (method: string, path: string, body?: unknown) => {
        calls += 1
        if (calls > last) throw new Error('interrupted')
        return answer(method, path, (body ?? {}) as Record<string, unknown>)
      }
      const caller = {
        call,
        attempt: call,
        callOrLeaveOut: call,
        control: call,
        controlOrLeaveOut: call,
      } as unknown as Caller
      const made = sendMessages(caller, 'solar', 'old').then(() => runCampaigns(caller, 'solar', 'old'))
      return { made, calls: () => calls }
    },
  }
}

const sortMessages = (messages: readonly Sent[]): string[] => messages.map(each => JSON.stringify(each)).sort()

it('the demo makes each message and campaign once, wherever a start was interrupted', async () => {
  const whole = newPlace()
  const start = whole.start(Number.POSITIVE_INFINITY)
  await start.made
  expect(whole.messages.filter(({ direction }) => direction === 'INBOUND')).toHaveLength(6)
  expect(whole.jobs).toEqual(['win_back', 'hello_world'])
  for (let last = 0; last <= start.calls(); last += 1) {
    const place = newPlace()
    await place.start(last).made.catch(() => {})
    await place.start(Number.POSITIVE_INFINITY).made
    expect(sortMessages(place.messages)).toEqual(sortMessages(whole.messages))
    expect(place.jobs).toEqual(whole.jobs)
  }
})

const PROCESSES = '/v1/ext/procedure/lead/process'
const MANY_TROUBLES = 20

const respond = (status: number, headers: Record<string, string> = {}, body = '<html>busy</html>') =>
  (() => new Response(body, { status, headers })) satisfies Trouble

const refuse = (status: number, code: string) =>
  respond(
    status,
    { 'content-type': 'application/json' },
    JSON.stringify({ _data: {}, _meta: { errors: [{ code, message: code }] }, _errors: [code] }),
  )

async function callThrough(...troubles: Trouble[]) {
  const team = await newTeam()
  await newProcedure(team)
  const network = troubled(...troubles)
  const caller = createCaller(
    { url: ORIGIN, provider: ORIGIN, token: team.token },
    { fetch: network.fetch, backoffMs: 1 },
  )
  return { team, caller, tried: network.tried, leads: () => createClient(team).processes('lead').list().all() }
}

describe('a call of the demo', () => {
  it.each<[string, Trouble]>([
    ['is lost on its way', 'lost'],
    ['has its answer lost', 'answer lost'],
    ...[429, 500, 502, 503, 504].map((status): [string, Trouble] => [`meets a bare ${status}`, respond(status)]),
    ...(
      [
        [429, 'rate_limited'],
        [500, 'internal_error'],
        [503, 'storage_unavailable'],
        [503, 'maintenance'],
        [409, 'request_in_progress'],
      ] as const
    ).map(([status, code]): [string, Trouble] => [`is refused by ${status} ${code}`, refuse(status, code)]),
  ])('is repeated if it %s, and makes one process', async (_, trouble) => {
    const { caller, tried, leads } = await callThrough(trouble, trouble)
    await caller.call('POST', PROCESSES, { data: { lead_id: 'L1' } })
    expect(tried).toHaveLength(3)
    expect(new Set(tried.map(({ key }) => key)).size).toBe(1)
    expect(await leads()).toHaveLength(1)
  })

  it('waits for as long as the response asks', async () => {
    const { caller } = await callThrough(respond(429, { 'retry-after': '1' }))
    const before = Date.now()
    await caller.call('GET', PROCESSES)
    expect(Date.now() - before).toBeGreaterThanOrEqual(990)
  })

  it("ends the start with the API's message at once where it is refused", async () => {
    const { caller, tried } = await callThrough()
    await expect(caller.call('POST', PROCESSES, { datum: {} })).rejects.toThrow(/POST .*process.*unknown field "datum"/)
    expect(tried).toHaveLength(1)
  })

  it('ends the start with the last response where it never succeeds', async () => {
    const { caller, tried } = await callThrough(...Array.from({ length: MANY_TROUBLES }, () => respond(504)))
    await expect(caller.call('GET', PROCESSES)).rejects.toThrow(/GET .*process.*504/)
    expect(tried.length).toBeLessThan(MANY_TROUBLES)
  })

  it('finds what an interrupted start has made already', async () => {
    const { caller, leads } = await callThrough()
    for (let start = 0; start < 2; start += 1) await caller.call('POST', PROCESSES, { data: { lead_id: 'L1' } })
    expect(await leads()).toHaveLength(1)
  })

  it('accepts that an earlier try, whose response was lost, has deleted the process', async () => {
    const { caller, tried } = await callThrough('none', 'answer lost')
    const { id } = await caller.call('POST', PROCESSES, {})
    await caller.call('DELETE', `${PROCESSES}/${id}`)
    expect(tried).toHaveLength(3)
  })
})

describe('a message of the demo', () => {
  const lines = async (run: () => Promise<unknown>): Promise<string[]> => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await run()
      return log.mock.calls.map(([line]) => String(line))
    } finally {
      log.mockRestore()
    }
  }

  it('is reported and left out if it fails', async () => {
    const { caller } = await callThrough()
    const told = await lines(() => caller.callOrLeaveOut('POST', `${PROCESSES}/list`, { nope: 1 }))
    expect(told).toEqual([expect.stringMatching(/^Left out of the demo: POST .*unknown field "nope"/)])
  })

  it.each(['callOrLeaveOut', 'attempt', 'controlOrLeaveOut'] as const)(
    'is reported and left out if its connection never works (%s)',
    async kind => {
      const { caller } = await callThrough(...Array.from({ length: MANY_TROUBLES }, (): Trouble => 'lost'))
      expect(await lines(() => caller[kind]('POST', '/anything', {}))).toEqual([
        expect.stringMatching(/^Left out of the demo: POST .*anything: .*connection was refused/),
      ])
    },
  )

  it('is not reported if the provider refuses it, as the demo intends', async () => {
    const { team, caller } = await callThrough()
    const { id, phone } = await connectPlugin(team)
    const to = '15550019131026'
    const body = { whatsappPhoneNumberId: phone.id, templateName: 'hello_world' }
    const path = `/v1/ext/plugin/whatsapp/${id}/phoneNumber/${to}/send-template-message`
    expect(await lines(() => caller.attempt('POST', path, body))).toEqual([])
    expect(await lines(() => caller.attempt('POST', path, { ...body, templateName: 'nope' }))).toHaveLength(1)
  })
})
