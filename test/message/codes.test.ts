import { describe, expect, it } from 'vitest'
import { PROVIDER_CODES } from '../../src/plugin/codes.ts'
import { newTeam } from '../support/api.ts'
import { connectPlugin, failedNumber, newConnectedTeam, newNumber, refusedNumber } from '../support/provider.ts'

/** The stand-in answers these with a 5xx, after which nothing is certain. */
const WITH_5XX = [2, 3, 131000, 131016, 131045, 131057, 133004]
const codes = Object.entries(PROVIDER_CODES).map(([code, entry]) => ({ code: Number(code), ...entry }))

describe('each error code of the provider', () => {
  it.each(codes)('$code ($class) is shown, classed and acted upon', async ({ code, ...entry }) => {
    const { team, whatsapp } = await newConnectedTeam()
    // 33 comes as a subcode of 100: the sender is unknown to the account.
    if (code === 33)
      await whatsapp.control('PUT', `/accounts/${whatsapp.account}`, {
        phoneNumbers: [{ id: `9${whatsapp.account}`, displayNumber: '15569999999' }],
      })
    const reply = await whatsapp.send(code === 33 ? newNumber() : refusedNumber(code))
    const [told] = reply.meta.errors
    const message = (await team.call('GET', `/v1/ext/message/${told.messageId}`)).data
    expect(message.error).toMatchObject({ code, class: entry.class, title: entry.title, advice: entry.advice })
    if (WITH_5XX.includes(code)) {
      expect(reply.status).toBe(502)
      expect(told).toMatchObject({ code: 'provider_unavailable', providerCode: code, deliveryStatus: 'UNKNOWN' })
    } else {
      expect(reply.status).toBe(502)
      expect(told).toMatchObject({
        code: 'provider_refused',
        providerCode: code,
        class: entry.class,
        title: entry.title,
        advice: entry.advice,
        deliveryStatus: 'FAILED',
      })
      expect(reply.errors[0]).toContain(entry.advice)
      if (entry.class === 'retry') expect(told.retryAfterSeconds).toBeGreaterThan(0)
    }
    const plugin = (await team.call('GET', whatsapp.base)).data
    expect(plugin.status).toBe(entry.class === 'stop-plugin' ? 'STOPPED' : 'ACTIVE')
    if (entry.class === 'stop-plugin') expect(plugin.statusMessage).toContain(`(${code})`)
    const stopped = plugin.stoppedPhoneNumbers.map((each: { id: string }) => each.id)
    expect(stopped).toEqual(entry.class === 'stop-sender' ? [whatsapp.phone.id] : [])
    const next = await whatsapp.send(newNumber())
    const { accepted, received } = await whatsapp.received()
    if (entry.class.startsWith('stop-') && entry.class !== 'stop-entry')
      expect([next.status, received]).toEqual([409, code === 33 ? 0 : 1])
    else if (entry.template) expect([next.status, received]).toEqual([400, 1])
    else expect([next.status, received, accepted]).toEqual([200, 2, 1])
  })

  it.each([200, 250, 299])('%s is a missing permission', async code => {
    const { whatsapp } = await newConnectedTeam()
    const to = newNumber()
    await whatsapp.faults({ to, fault: { kind: 'error', code } })
    expect((await whatsapp.send(to)).meta.errors).toMatchObject([{ providerCode: code, class: 'stop-plugin' }])
  })

  it('ends only its own message if no table has it', async () => {
    const whatsapp = await connectPlugin(await newTeam())
    const to = newNumber()
    await whatsapp.faults({ to, fault: { kind: 'error', code: 987654 } })
    expect((await whatsapp.send(to)).meta.errors).toMatchObject([{ providerCode: 987654, class: 'stop-entry' }])
    expect((await whatsapp.send(newNumber())).status).toBe(200)
  })

  it('is shown on the message if a provider report has it', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await whatsapp.send(failedNumber(131026))
    await whatsapp.flush()
    expect((await team.call('GET', `/v1/ext/message/${data.id}`)).data).toMatchObject({
      deliveryStatus: 'FAILED',
      error: { code: 131026, title: PROVIDER_CODES[131026]?.title },
    })
  })
})

describe('a stopped plugin', () => {
  const stop = async (code: number) => {
    const { team, whatsapp } = await newConnectedTeam()
    await whatsapp.send(refusedNumber(code))
    const send = async () => (await whatsapp.send(newNumber())).status
    expect(await send()).toBe(409)
    return { team, whatsapp, send }
  }

  it('says since when and why, in the config too', async () => {
    const { team, whatsapp } = await stop(190)
    const { data } = await team.call('GET', '/v1/ext/config')
    expect(data.plugins).toMatchObject([
      {
        id: whatsapp.id,
        status: 'STOPPED',
        stoppedAt: expect.any(Number),
        statusMessage: expect.stringContaining('190'),
      },
    ])
  })

  it('sends again once somebody has changed it', async () => {
    const { team, whatsapp, send } = await stop(131042)
    expect((await team.call('PUT', whatsapp.base, { name: 'Mended' })).data).toMatchObject({
      status: 'ACTIVE',
      stoppedAt: null,
    })
    expect(await send()).toBe(200)
  })

  it('sends again once its templates could be synced, if only its authorisation had failed', async () => {
    const { team, whatsapp, send } = await stop(190)
    await team.call('POST', `${whatsapp.base}/sync-templates`)
    expect(await send()).toBe(200)
    const other = await stop(131042)
    await other.team.call('POST', `${other.whatsapp.base}/sync-templates`)
    expect(await other.send()).toBe(409)
  })
})
