import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PENDING_MS_MAX } from '../../src/message/rules.ts'
import { PROVIDER_TIMEOUT_MS } from '../../src/plugin/settings.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, listEntries } from '../support/jobs.ts'
import { newConnectedTeam, newNumber } from '../support/provider.ts'

const logged: string[] = []
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(line => void logged.push(String(line))))
afterEach(() => void vi.restoreAllMocks())

const WRONG = [
  ['WHATSAPP_MESSAGES_PER_SECOND', ''],
  ['WHATSAPP_MESSAGES_PER_SECOND', 'sixty'],
  ['WHATSAPP_MESSAGES_PER_SECOND', '0'],
] as const

it('the time limit of a provider call ends well before its message counts as interrupted', () => {
  expect(PROVIDER_TIMEOUT_MS).toBeLessThan(PENDING_MS_MAX - 5_000)
})

it.each(WRONG)(
  'a wrong setting %s = %j sends nothing, ends no entry and is named; once corrected, all is sent',
  async (name, value) => {
    const { team, whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const harness = new Harness({ [name]: value })
    const template = { pluginId: whatsapp.id, whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const entries = [{ apiType: 'TEMPLATE_MESSAGE', apiData: { ...template, phoneNumber: to } }]
    const calm = new Harness()
    const { id } = (await calm.request(team, 'POST', JOBS, { entries })).body._data
    harness.messages = calm.messages
    // The whole message fails: the real queue delivers it again, and the cron sends another one.
    await harness.deliver().catch((error: unknown) => void logged.push(String(error)))
    expect(logged.some(line => line.includes(`the setting ${name} must be a number`))).toBe(true)
    const [entry] = await listEntries(team, id)
    expect(['NOT_STARTED', 'IN_PROGRESS']).toContain(entry.completionStatus)
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 0 })
    await calm.settle(team)
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 1, accepted: 1 })
  },
)
