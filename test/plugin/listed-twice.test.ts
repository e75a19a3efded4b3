import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { newTeam, request, type Team } from '../support/api.ts'
import { loadShownEvents } from '../support/feed.ts'
import { type Connected, connectPlugin, newConnectedTeam } from '../support/provider.ts'

// Two pages of the provider's list may have a template in common, if the list grows while it is read.

/** The provider, whose pages have each template twice. */
const REPEATING = {
  async fetch(asked: Request): Promise<Response> {
    const response = await (env.WHATSAPP as Fetcher).fetch(asked)
    const page = (await response.json()) as { data: object[] }
    return Response.json({ ...page, data: [...page.data, ...page.data] }, response)
  },
}

const syncRepeated = (team: Team, whatsapp: Connected) =>
  request('POST', `${whatsapp.base}/sync-templates`, { headers: { authorization: `Bearer ${team.token}` } }, {
    ...env,
    WHATSAPP: REPEATING,
  } as unknown as Env)

const template = (text: string) => ({ name: 'offer', components: [{ type: 'BODY', text }] })

it('a template that the provider lists twice is one template, and one event without a gap in the numbers', async () => {
  const team = await newTeam()
  await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
  const whatsapp = await connectPlugin(team)
  for (const text of ['One', 'Two']) {
    const before = await loadShownEvents(team, 'template.changed')
    await whatsapp.control('POST', '/templates', template(text))
    const synced = await syncRepeated(team, whatsapp)
    expect(synced.errors).toEqual([])
    const { data: known } = await team.call('GET', `${whatsapp.base}/templates`)
    expect(synced.data.templates).toBe(known.length)
    const events = (await loadShownEvents(team, 'template.changed')).slice(before.length)
    const offer = known.find(({ name }: { name: string }) => name === 'offer')
    expect(events.map(({ data }) => data.id)).toEqual([offer.id])
  }
  const { data: log } = await team.call('GET', '/v1/ext/event?after=0&limit=100')
  expect(log.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
    log.map((_: unknown, nth: number) => nth + 1),
  )
})

it('a page that says that more follow, and not from where, is no list: nothing is removed', async () => {
  const { team, whatsapp } = await newConnectedTeam()
  const { data: known } = await team.call('GET', `${whatsapp.base}/templates`)
  const first = {
    async fetch(asked: Request): Promise<Response> {
      const response = await (env.WHATSAPP as Fetcher).fetch(asked)
      const { data } = (await response.json()) as { data: object[] }
      return Response.json({ data: data.slice(0, 1), paging: { next: 'https://graph.example.com/next' } }, response)
    },
  }
  const headers = { authorization: `Bearer ${team.token}` }
  const bindings = { ...env, WHATSAPP: first } as unknown as Env
  const synced = await request('POST', `${whatsapp.base}/sync-templates`, { headers }, bindings)
  expect([synced.status, synced.meta.errors[0].code]).toEqual([502, 'provider_unavailable'])
  expect((await team.call('GET', `${whatsapp.base}/templates`)).data).toEqual(known)
})
