import { describe, expect, it } from 'vitest'
import { JOBS, listEntries, waitForJob } from '../support/jobs.ts'
import { newConnectedTeam, newNumber } from '../support/provider.ts'

const values = {
  mapping: [
    { schemaPropertyName: '1', schemaPropertyValue: 'Asha' },
    { schemaPropertyName: '2', schemaPropertyValue: 'A17' },
  ],
}

async function start(settings: object = {}) {
  const { team, whatsapp } = await newConnectedTeam()
  const changed = await team.call('PUT', whatsapp.base, { name: 'Support', ...settings })
  expect(changed.errors).toEqual([])
  const loadLanguage = async (body: object): Promise<string> => {
    const sent = await whatsapp.send(newNumber(), { templateName: 'order_update', ...values, ...body })
    if (sent.status !== 200) return `${sent.status} ${sent.meta.errors[0].path}`
    const { data } = await team.call('GET', `${whatsapp.base}/templates`)
    const template = data.find(({ id }: { id: string }) => id === sent.data.context.messageTemplateId)
    return template.language
  }
  return { team, whatsapp, loadLanguage, changed: changed.data }
}

describe('a template that exists in several languages', () => {
  it("is sent in the plugin's default language if the request names none", async () => {
    const { loadLanguage, changed } = await start({ defaultLanguage: 'hi' })
    expect(changed.defaultLanguage).toBe('hi')
    expect(await loadLanguage({})).toBe('hi')
    expect(await loadLanguage({ language: 'en_US' })).toBe('en_US')
  })

  it('is asked for by its language, if the plugin has no default', async () => {
    const { team, whatsapp, loadLanguage } = await start()
    expect((await team.call('GET', whatsapp.base)).data.defaultLanguage).toBeNull()
    expect(await loadLanguage({})).toBe('400 /body/language')
  })

  it('is named by the first part of a language if only one begins so', async () => {
    const { loadLanguage } = await start({ defaultLanguage: 'en' })
    expect(await loadLanguage({ language: 'en' })).toBe('en_US')
    expect(await loadLanguage({})).toBe('en_US')
    expect(await loadLanguage({ language: 'fr' })).toBe('400 /body/language')
  })

  it('is refused if it does not exist in the default language, which is named', async () => {
    const { whatsapp } = await start({ defaultLanguage: 'fr' })
    const reply = await whatsapp.send(newNumber(), { templateName: 'order_update', ...values })
    expect(reply).toMatchObject({ status: 400, meta: { errors: [{ path: '/body/language' }] } })
    expect(reply.errors[0]).toContain('"fr"')
    // The template exists in one language only, so there is no choice.
    expect((await whatsapp.send(newNumber())).status).toBe(200)
  })

  it('is sent by a job in the default language, too', async () => {
    const { team, whatsapp } = await start({ defaultLanguage: 'hi' })
    const apiData = { pluginId: whatsapp.id, whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'order_update' }
    const entries = [{ apiType: 'TEMPLATE_MESSAGE', apiData: { ...apiData, ...values, phoneNumber: newNumber() } }]
    const job = await team.call('POST', JOBS, { entries })
    await waitForJob(team, job.data.id)
    expect(await listEntries(team, job.data.id)).toMatchObject([{ completionStatus: 'SUCCESS' }])
  })
})

it('a default language that is no code of a language is refused', async () => {
  const { team, whatsapp } = await start()
  expect(await team.call('PUT', whatsapp.base, { defaultLanguage: 'English' })).toMatchObject({
    status: 400,
    meta: { errors: [{ path: '/body/defaultLanguage' }] },
  })
})
