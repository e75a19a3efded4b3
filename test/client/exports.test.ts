import { expect, it } from 'vitest'
import type { Fetch } from '../../src/client/client.ts'
import { newTeam } from '../support/api.ts'
import { createClient, toWorker, withShortPauses } from '../support/client.ts'
import { newProcedure } from '../support/procedures.ts'

const cursorLine = (hasMore: boolean, next: string | null) =>
  `${JSON.stringify({ _data: [], _meta: { hasMore, next }, _errors: [] })}\n`
const rowLine = (id: string) => `${JSON.stringify({ id })}\n`

/** A response of these pieces, which breaks off at its end if there is an error. */
function toStream(pieces: readonly string[], error?: Error): Response {
  const left = pieces.map(each => new TextEncoder().encode(each))
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = left.shift()
      if (next) return controller.enqueue(next)
      if (error) return controller.error(error)
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
}

async function exported(responses: (() => Response)[]) {
  const bodies: { cursor?: string; skip?: number }[] = []
  const fetch: Fetch = async (_, init) => {
    bodies.push(JSON.parse(String(init.body)))
    const next = responses[bodies.length - 1]
    if (!next) throw new Error('one request too many')
    return next()
  }
  const client = createClient(await newTeam(), { fetch, backoffMs: 1 })
  const ids: string[] = []
  const error = await withShortPauses(async () => {
    for await (const { id } of client.processes('lead').export({ skip: 3 })) ids.push(id)
  }).catch((thrown: unknown) => thrown)
  return { ids, error, bodies }
}

const broken = new Error('connection lost')

it('an export that breaks off goes on from the last cursor, and has no process missing or twice', async () => {
  const { ids, error, bodies } = await exported([
    () => toStream([rowLine('A'), cursorLine(true, 'after A'), rowLine('B'), '{"id": "C'], broken),
    () => toStream([rowLine('B'), rowLine('C'), cursorLine(true, 'after C')]),
    () => toStream([rowLine('D')]),
    () => toStream([rowLine('D'), cursorLine(false, null)]),
  ])
  expect(error).toBeUndefined()
  expect(ids).toEqual(['A', 'B', 'C', 'D'])
  expect(bodies.map(({ cursor, skip }) => [cursor, skip])).toEqual([
    [undefined, 3],
    ['after A', 0],
    ['after C', 0],
    ['after C', 0],
  ])
})

it('an export that breaks off before its first cursor starts again', async () => {
  const { ids, bodies } = await exported([
    () => toStream([rowLine('A')], broken),
    () => toStream([rowLine('A'), cursorLine(false, null)]),
  ])
  expect(ids).toEqual(['A'])
  expect(bodies.map(({ skip }) => skip)).toEqual([3, 3])
})

it('an export that makes no progress fails', async () => {
  const { ids, error } = await exported(Array.from({ length: 6 }, () => () => toStream([rowLine('A')], broken)))
  expect(ids).toEqual([])
  expect(error).toMatchObject({ code: 'no_response', operation: 'listProcesses' })
})

it('the client exports what the list has, and downloads it as a file', async () => {
  const team = await newTeam()
  const { create } = await newProcedure(team)
  for (const lead_id of ['L1', 'L2', 'L3']) await create({ data: { lead_id, score: 5 } })
  const warned: unknown[] = []
  const client = createClient(team, { fetch: toWorker, onWarning: ({ path }) => warned.push(path) })
  const leads = client.processes<{ lead_id: string; score: number }>('lead')
  const listed = await leads.list().all()
  const found = []
  for await (const lead of leads.export()) found.push(lead)
  expect(found).toEqual(listed)
  const chosen = []
  const where = { lead_id: ['L1', 'L3'] }
  // Declared attributes would not let it compile.
  const undeclared = client.processes('lead')
  for await (const lead of undeclared.export({ where, fields: ['lead_id', 'scroe'] })) chosen.push(lead.data?.lead_id)
  expect(chosen).toEqual(['L3', 'L1'])
  expect(warned).toEqual(['/body/fields/1'])
  const file = await leads.download({ where: { lead_id: 'L2' }, fields: ['lead_id', 'score'] })
  expect(await new Response(file).text()).toBe('lead_id,score\r\nL2,5\r\n')
  await expect(leads.download({ where: { state: 'NOWHERE' } })).rejects.toMatchObject({ code: 'invalid_request' })
})
