import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { type Connected, connectPlugin, newConnectedTeam, newNumber, refusedNumber } from '../support/provider.ts'

const loadTemplates = async (team: Team, whatsapp: Connected) =>
  (await team.call('GET', `${whatsapp.base}/templates`)).data as { name: string }[]

/** Does something the first time that a call is about to be made which `isIt`. */
function once(isIt: (about: string, kind: string) => boolean, act: () => Promise<unknown>) {
  let isDone = false
  return async ({ kind, about, sql }: { kind: string; about: string; sql: string }) => {
    if (isDone || !isIt(`${about} ${sql}`, kind)) return
    isDone = true
    await act()
  }
}

const sync = (harness: Harness, team: Team, whatsapp: Connected) =>
  harness.request(team, 'POST', `${whatsapp.base}/sync-templates`)

describe('a sync of templates', () => {
  it('copies nothing from the old account if the plugin is moved to another meanwhile', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const move = () => team.call('PUT', whatsapp.base, { businessAccountId: '1' })
    const harness = new Harness({}, { after: once((_, kind) => kind === 'provider', move) })
    const reply = await sync(harness, team, whatsapp)
    // The token is not good for the other account: the provider says so when it is asked again.
    expect(reply.status).toBe(502)
    expect(await loadTemplates(team, whatsapp)).toEqual([])
    expect((await team.call('GET', whatsapp.base)).data).toMatchObject({ templatesSyncedAt: null })
  })

  it('does not bring back a template that a later sync has removed', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    await whatsapp.control('POST', '/templates', { name: 'gone_soon', components: [{ type: 'BODY', text: 'Hi' }] })
    const overtake = async () => {
      await whatsapp.control('POST', '/reset')
      await whatsapp.control('PUT', `/accounts/${whatsapp.account}`, {
        ...whatsapp.secrets,
        phoneNumbers: [whatsapp.phone],
      })
      expect((await team.call('POST', `${whatsapp.base}/sync-templates`)).status).toBe(200)
    }
    const harness = new Harness({}, { after: once((_, kind) => kind === 'provider', overtake) })
    expect((await sync(harness, team, whatsapp)).status).toBe(200)
    expect((await loadTemplates(team, whatsapp)).map(each => each.name)).not.toContain('gone_soon')
  })

  it('keeps the status of a template that was reported while the provider was asked', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const pause = async () => {
      await whatsapp.faults({ times: 1, fault: { kind: 'error', code: 132015 } })
      await whatsapp.send(newNumber())
    }
    const harness = new Harness({}, { after: once((_, kind) => kind === 'provider', pause) })
    expect((await sync(harness, team, whatsapp)).status).toBe(200)
    const paused = (await team.call('GET', `${whatsapp.base}/templates`)).data.find(
      (each: { name: string }) => each.name === 'hello_world',
    )
    expect(paused).toMatchObject({ status: 'PAUSED' })
  })

  it('clears the stop that it has read, and no newer one', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    await whatsapp.send(refusedNumber(190))
    expect((await team.call('GET', whatsapp.base)).data.statusMessage).toContain('(190)')
    const stopAgain = async () => {
      await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
      await whatsapp.send(refusedNumber(131031))
    }
    const harness = new Harness({}, { after: once((_, kind) => kind === 'provider', stopAgain) })
    expect((await sync(harness, team, whatsapp)).status).toBe(200)
    expect((await team.call('GET', whatsapp.base)).data).toMatchObject({
      status: 'STOPPED',
      statusMessage: expect.stringContaining('(131031)'),
    })
  })

  it('clears no stop that came after another sync had cleared the one that both have read', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    await whatsapp.send(refusedNumber(190))
    const asked = Promise.withResolvers<void>()
    const stopped = Promise.withResolvers<void>()
    const waitForStop = () => {
      asked.resolve()
      return stopped.promise
    }
    const later = new Harness({}, { after: once((_, kind) => kind === 'provider', waitForStop) })
    let second: ReturnType<typeof sync> | undefined
    const startLater = () => {
      second = sync(later, team, whatsapp)
      return asked.promise
    }
    const earlier = new Harness({}, { after: once((_, kind) => kind === 'provider', startLater) })
    expect((await sync(earlier, team, whatsapp)).status).toBe(200)
    expect((await team.call('GET', whatsapp.base)).data).toMatchObject({ status: 'ACTIVE' })
    await whatsapp.send(refusedNumber(131031))
    stopped.resolve()
    await second
    expect((await team.call('GET', whatsapp.base)).data).toMatchObject({
      status: 'STOPPED',
      statusMessage: expect.stringContaining('(131031)'),
    })
  })
})

describe('two changes of a plugin', () => {
  it('keep the templates if they are to the same account: the slower one removes none', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const before = (await loadTemplates(team, whatsapp)).length
    await team.call('PUT', whatsapp.base, { businessAccountId: '1' })
    const faster = async () => {
      await team.call('PUT', whatsapp.base, { businessAccountId: whatsapp.account })
      await team.call('POST', `${whatsapp.base}/sync-templates`)
    }
    const harness = new Harness({}, { before: once(about => /update "plugin"/i.test(about), faster) })
    const slower = { businessAccountId: whatsapp.account, name: 'Slower' }
    expect((await harness.request(team, 'PUT', whatsapp.base, slower)).status).toBe(200)
    expect((await team.call('GET', whatsapp.base)).data).toMatchObject({
      name: 'Slower',
      templatesSyncedAt: expect.any(Number),
    })
    expect(await loadTemplates(team, whatsapp)).toHaveLength(before)
  })
})

describe('the numbers of plugins', () => {
  it('are in the range of their team, so that they are the same in any database', async () => {
    for (const team of [await newTeam(), await newTeam()]) {
      for (const nth of [1, 2]) {
        const { id } = await connectPlugin(team)
        const row = await env.DB.prepare(
          'SELECT no, (SELECT max(team) FROM template WHERE plugin = p.no) AS team FROM plugin p WHERE id = ?',
        )
          .bind(id)
          .first()
        expect(row).toEqual({ no: team.no * 4096 + nth, team: team.no })
      }
    }
  })
})
