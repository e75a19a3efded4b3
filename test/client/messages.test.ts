import { describe, expect, it } from 'vitest'
import { CaseworkerError } from '../../src/client/client.ts'
import { toExitCode } from '../../src/client/command-line/command/command.ts'
import { createClient, troubled } from '../support/client.ts'
import { failedNumber, newConnectedTeam, newNumber, refusedNumber } from '../support/provider.ts'
import { sleep } from '../support/sleep.ts'

async function start(fetch = troubled().fetch) {
  const { team, whatsapp } = await newConnectedTeam()
  const client = createClient(team, { fetch })
  const template = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const send = (phoneNumber: string) => client.messages.send(whatsapp.id, { phoneNumber }, template)
  return { client, whatsapp, send }
}

describe('waiting for a message', () => {
  it('ends when it has the requested status, and at once where it has it already', async () => {
    const { client, whatsapp, send } = await start()
    const { id } = await send(newNumber())
    expect((await client.messages.wait(id, { until: 'SENT' })).deliveryStatus).toBe('SENT')
    let isRead = false
    const reading = client.messages.wait(id, { until: 'READ' }).finally(() => {
      isRead = true
    })
    await sleep(700)
    expect(isRead).toBe(false)
    await whatsapp.flush()
    expect((await reading).deliveryStatus).toBe('READ')
    expect((await client.messages.wait(id)).deliveryStatus).toBe('READ')
  })

  it('ends where it failed, without throwing', async () => {
    const { client, whatsapp, send } = await start()
    const { id } = await send(failedNumber(131049))
    const waiting = client.messages.wait(id)
    await whatsapp.flush()
    expect(await waiting).toMatchObject({ deliveryStatus: 'FAILED', error: { code: 131049 } })
  })

  it('gives up after a time, or when it is aborted', async () => {
    const { client, send } = await start()
    const { id } = await send(newNumber())
    await expect(client.messages.wait(id, { timeoutMs: 50 })).rejects.toThrow(/timeout|timed out/i)
    const stop = new AbortController()
    const waiting = client.messages.wait(id, { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  it('is an error where there is no such message', async () => {
    const { client } = await start()
    const error = await client.messages.wait(crypto.randomUUID()).catch((reason: unknown) => reason)
    expect(error instanceof CaseworkerError && error.is('not_found')).toBe(true)
  })
})

it('a message that the provider did not take ends a command as failed: a repetition would send another one', async () => {
  const { send } = await start()
  const error = await send(refusedNumber(131026)).catch((reason: unknown) => reason)
  expect([error instanceof CaseworkerError && error.status, toExitCode(error)]).toEqual([502, 1])
})

it('a file that is JSON is downloaded as any other', async () => {
  const text = '{"_errors": ["of the customer"]}'
  const fetch = async () => new Response(text, { headers: { 'content-type': 'application/json' } })
  const { client } = await start(fetch)
  expect(await new Response(await client.messages.download('one')).text()).toBe(text)
})
