import { CITIES, COLLECTION, customer, type Leads, leadData, SCORES } from './leads.ts'
import type { Reply, Server } from './server.ts'

export interface Case {
  name: string
  api: () => Promise<Reply>
  bare: () => Promise<Reply>
}

const SKIP_MAX = 10_000
const RANGE = 50
const CURSORS = 20

/** The same work asked of the API and of the bare Worker. */
export async function buildCases(server: Server, { proc, processes }: Leads): Promise<Case[]> {
  const { send, call } = server
  const random = (below: number) => Math.floor(Math.random() * below)
  const pick = () => processes[random(processes.length)] ?? { rid: 0, id: '' }
  let made = processes.length
  const last = processes.at(-1)?.rid ?? 0
  // Far above the numbers that the API gives, which grow with time.
  const nextRid = () => last + 4096 * 3_600_000 * 24 + ++made
  const lead = () => ({ data: leadData(++made) })
  const withCustomer = () => ({ ...lead(), record: customer(made) })
  const list = (body: object) => send('api', 'POST', `${COLLECTION}/list`, body)
  const bare = (method: string, path: string, query: Record<string, string | number>, body?: unknown) =>
    send(
      'bare',
      method,
      `${path}?${new URLSearchParams({ proc: `${proc}`, ...query } as Record<string, string>)}`,
      body,
    )

  const both = (path: string, body: () => object) => ({
    api: () => list(body()),
    bare: () => bare('POST', path, {}, body()),
  })
  const cursors: string[] = []
  const aCursor = () => ({ cursor: cursors[random(CURSORS)] })
  for (let page = 0; page < CURSORS; page++) {
    const body = { limit: 10, ...(page === 0 ? { skip: random(SKIP_MAX) } : { cursor: cursors.at(-1) }) }
    const { _meta } = (await call('api', 'POST', `${COLLECTION}/list`, body)) as { _meta: { next: string } }
    cursors.push(_meta.next)
  }
  return [
    {
      name: 'fetch by id',
      api: () => send('api', 'GET', `${COLLECTION}/${pick().id}`),
      bare: () => bare('GET', '/fetch', { rid: pick().rid }),
    },
    {
      name: 'create',
      api: () => send('api', 'POST', COLLECTION, lead()),
      bare: () => bare('POST', '/create', { rid: nextRid() }, lead()),
    },
    {
      name: 'create with a customer',
      api: () => send('api', 'POST', COLLECTION, withCustomer()),
      bare: () => bare('POST', '/create', { rid: nextRid() }, withCustomer()),
    },
    {
      name: 'update',
      api: () => send('api', 'PUT', `${COLLECTION}/${pick().id}`, { data: { score: random(SCORES) } }),
      bare: () => bare('PUT', '/update', { rid: pick().rid }, { data: { score: random(SCORES) } }),
    },
    {
      name: 'list by equality',
      ...both('/equality', () => ({ where: { city: `city ${random(CITIES)}` } })),
    },
    {
      name: 'list by range',
      ...both('/range', () => {
        const from = random(SCORES - RANGE)
        return { where: { score: { '>=': from, '<': from + RANGE } } }
      }),
    },
    {
      name: 'list, deep skip',
      ...both('/skip', () => ({ skip: random(SKIP_MAX) })),
    },
    {
      name: 'list by cursor',
      api: () => list(aCursor()),
      bare: () => bare('POST', '/cursor', { before: pick().rid }, aCursor()),
    },
  ]
}
