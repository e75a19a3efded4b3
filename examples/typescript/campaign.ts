// Sends a template message to all open leads of a city, waits for the deliveries, and prints who was not reached.
// API=https://… TOKEN=… node campaign.js --city Pune --name diwali-2026
import { parseArgs } from 'node:util'
import { caseworker, CaseworkerError } from 'caseworker'

const { values } = parseArgs({ options: { city: { type: 'string' }, name: { type: 'string' } } })
const { city, name } = values
if (city === undefined || name === undefined) {
  console.error('usage: node campaign.js --city <city> --name <name of the campaign>')
  process.exit(2)
}
const client = caseworker({ baseUrl: process.env.API ?? '', token: process.env.TOKEN ?? '' })

try {
  process.exitCode = (await run(city, name)) ? 0 : 1
} catch (error) {
  if (!(error instanceof CaseworkerError)) throw error
  for (const { message, hint } of error.errors) console.error(hint === undefined ? message : `${message} (${hint})`)
  process.exitCode = 1
}

/** Whether everybody was reached. */
async function run(city: string, name: string): Promise<boolean> {
  const plugin = (await client.plugins.list()).find(({ status }) => status === 'ACTIVE')
  const sender = plugin?.phoneNumbers[0]
  if (plugin === undefined || sender === undefined) throw new Error('no account is connected that can send')

  // The key makes a second run harmless: it returns the job of the first.
  const job = await client.messages.sendMany(
    plugin.id,
    'lead',
    {
      where: { city, status: 'OPEN' },
      whatsappPhoneNumberId: sender.id,
      templateName: 'order_update',
      language: 'en_US',
      mapping: [
        { schemaPropertyName: '1', attribute: 'name' },
        { schemaPropertyName: '2', schemaPropertyValue: name },
      ],
    },
    { idempotencyKey: `campaign-${name}-${city}` },
  )
  const done = await client.jobs.wait(job.id, {
    onProgress: ({ counts, total }) => console.error(`${counts.SUCCESS} of ${total} sent`),
  })
  let isAll = true
  for await (const { index, completionStatus, completionMessage, completionResult } of client.jobs.results(job.id)) {
    const { messageId } = completionResult as { messageId?: string }
    if (completionStatus !== 'SUCCESS' || messageId === undefined) {
      isAll = false
      console.log(`${index}: not sent, ${completionMessage}`)
      continue
    }
    const message = await client.messages.wait(messageId, { until: 'DELIVERED', timeoutMs: 60_000 }).catch(error => {
      // A phone that is off gets it later.
      if (error instanceof DOMException && error.name === 'TimeoutError') return client.messages.get(messageId)
      throw error
    })
    if (!['DELIVERED', 'READ'].includes(message.deliveryStatus)) isAll = false
    console.log(`${index}: ${message.deliveryStatus} ${message.context.contactIdentifier}`)
  }
  console.error(`${done.counts.SUCCESS} of ${done.total} sent, job ${job.id}`)
  return isAll
}
