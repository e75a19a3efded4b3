import { expect, it } from 'vitest'
import type { Caller } from '../scripts/demo/caller.ts'
import { runCampaigns, sendMessages } from '../scripts/demo/messages.ts'

interface Sent {
  number: string
  direction: string
  text: unknown
}

/** What the API and the emulator would hold; from the call with the number `last` on, the start is interrupted. */
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
  const numberOf = (id: string) =>
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
    if (to) messages.push({ number: number ?? numberOf(process ?? ''), direction: 'OUTBOUND', text: body.templateName })
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
      const caller = { call, attempt: call, callOrLeaveOut: call, control: call } as unknown as Caller
      const made = sendMessages(caller, 'solar', 'old').then(() => runCampaigns(caller, 'solar', 'old'))
      return { made, calls: () => calls }
    },
  }
}

const inOrder = (messages: readonly Sent[]): string[] => messages.map(each => JSON.stringify(each)).sort()

it('makes each message and campaign once, wherever a start was interrupted', async () => {
  const whole = newPlace()
  const start = whole.start(Number.POSITIVE_INFINITY)
  await start.made
  expect(whole.messages.filter(({ direction }) => direction === 'INBOUND')).toHaveLength(6)
  expect(whole.jobs).toEqual(['win_back', 'hello_world'])
  for (let last = 0; last <= start.calls(); last += 1) {
    const place = newPlace()
    await place.start(last).made.catch(() => {})
    await place.start(Number.POSITIVE_INFINITY).made
    expect(inOrder(place.messages)).toEqual(inOrder(whole.messages))
    expect(place.jobs).toEqual(whole.jobs)
  }
})
