import { expect, it } from 'vitest'
import { caseworker, type Fetch } from '../../src/client/client.ts'
import { newTeam } from '../support/api.ts'
import { createClient, toWorker } from '../support/client.ts'
import { newProcedure } from '../support/procedures.ts'

const HEADER = 'x-caseworker-bookmark'
const state = (commits: number) => `${String(commits).padStart(8, '0')}-00000000-00000000-${'0'.repeat(32)}`

/** Calls of a client whose responses carry these bookmarks; resolves to those that it sent. */
async function sentBookmarks(reads: 'primary' | 'nearest', received: (string | undefined)[]) {
  const team = await newTeam()
  await newProcedure(team)
  const sent: (string | undefined)[] = []
  const fetch: Fetch = async (address, init) => {
    sent.push(init.headers[HEADER])
    const response = await toWorker(address, init)
    const bookmark = received[sent.length - 1]
    const headers = new Headers(response.headers)
    if (bookmark === undefined) headers.delete(HEADER)
    else headers.set(HEADER, bookmark)
    return new Response(response.body, { status: response.status, headers })
  }
  const client = createClient(team, { reads, fetch })
  for (const _ of received) await client.call('listUsers', {})
  return sent
}

it('a client that reads from the nearest copy asks for the newest state that it has seen', async () => {
  const received = [state(7), state(12), undefined, state(9), state(10)]
  expect(await sentBookmarks('nearest', received)).toEqual(['any', state(7), state(12), state(12), state(12)])
})

it('a client reads from the primary unless it is told otherwise', async () => {
  expect(await sentBookmarks('primary', [state(7), state(8)])).toEqual([undefined, undefined])
})

it('a list goes on through pages that are empty', async () => {
  const team = await newTeam()
  await newProcedure(team)
  const bodies: { cursor?: string }[] = []
  const pages = [[], ['A'], [], ['B', 'C']].map((names, at, all) => ({
    _data: names.map(id => ({ id })),
    _meta: { hasMore: at < all.length - 1, next: at < all.length - 1 ? `after ${at}` : null },
    _errors: [],
  }))
  const fetch: Fetch = async (_, init) => {
    bodies.push(JSON.parse(String(init.body)))
    return Response.json(pages[bodies.length - 1])
  }
  const found = await createClient(team, { fetch }).processes('lead').list({ skip: 7 }).all()
  expect(found.map(({ id }) => id)).toEqual(['A', 'B', 'C'])
  expect(bodies.map(({ cursor }) => cursor)).toEqual([undefined, 'after 0', 'after 1', 'after 2'])
})

it('the client hands each warning of a response to the caller', async () => {
  const team = await newTeam()
  await newProcedure(team)
  const warned: unknown[] = []
  const client = createClient(team, { onWarning: (warning, operation) => warned.push([operation, warning.path]) })
  await client.processes('lead').create({ data: { citty: 'Pune' } })
  await client
    .processes('lead')
    .list({ where: { citty: 'Pune' } })
    .all()
  expect(warned).toEqual([
    ['createProcess', '/body/data/citty'],
    ['listProcesses', '/body/where/citty'],
  ])
})

it.each([
  ['localhost:18951', 'http://localhost:18951'],
  ['caseworker.example.com', 'https://caseworker.example.com'],
  ['ftp://example.com', undefined],
  ['', undefined],
])('the client refuses at once the address %j', (baseUrl, hint) => {
  let thrown: unknown
  try {
    caseworker({ baseUrl, token: 'cw_x' })
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ name: 'CaseworkerError', code: 'invalid_call', status: 0 })
  expect(thrown).toMatchObject({ errors: [{ ...(hint === undefined ? {} : { hint }) }] })
  expect(() => caseworker({ baseUrl: 'https://a.example', token: '' })).toThrow('token is empty')
})
