import type { Command, Session } from '../command/command.ts'
import { hasFlag, textOption, wholeNumberOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { ONE_OPTIONS, printOne, printRows, ROW_OPTIONS } from '../output/print-rows.ts'
import { print, printError } from '../output/terminal.ts'

const LIMIT = 20
export const MESSAGE_COLUMNS = [
  'id',
  'deliveryStatus',
  'timestamp',
  'context.contactIdentifier',
  'text',
  'error.advice',
]

/** The number of messages of a job by their delivery status. */
async function deliveryCounts({ client, signal }: Session, job: string): Promise<Record<string, number>> {
  return (await client.jobs.get(job, { signal })).deliveries ?? {}
}

export const messagesCommand: Command = {
  name: 'messages',
  group: 'Messages',
  summary: 'List the messages of a process, a phone number or a job, or show one',
  details:
    'With --job, the number of messages of each delivery status is printed, too; --counts prints these alone, as JSON.',
  arguments: [{ name: 'message', summary: 'the id of a message', optional: true }],
  options: {
    process: { value: 'id', summary: 'the id of a process' },
    phone: { value: 'number', summary: 'a phone number with its country code, digits only' },
    job: { value: 'id', summary: 'the id of a job that has sent messages' },
    counts: { summary: 'with --job: the number of messages of each delivery status' },
    limit: { value: 'n', summary: `the maximum number (default ${LIMIT})` },
    ...ROW_OPTIONS,
  },
  examples: [
    'messages --phone 4791230901 --columns timestamp,deliveryStatus,text',
    'messages --job 01a20220-abf5-79f6-85f4-01e9682e120b --counts',
  ],
  run: {
    async remote(session, given) {
      const { client, signal } = session
      const [id] = given.words
      const [process, phoneNumber] = [textOption(given, 'process'), textOption(given, 'phone')]
      const backgroundJob = textOption(given, 'job')
      if ([id, process, phoneNumber, backgroundJob].filter(each => each !== undefined).length !== 1)
        throw new UsageError('messages takes one of <message>, --process, --phone and --job')
      if (hasFlag(given, 'counts') && backgroundJob === undefined) throw new UsageError('--counts needs --job')
      if (id !== undefined) await printOne(given, await client.messages.get(id, { signal }), MESSAGE_COLUMNS)
      else if (hasFlag(given, 'counts') && backgroundJob !== undefined)
        await print(`${JSON.stringify(await deliveryCounts(session, backgroundJob))}\n`)
      else {
        const query = { process, phoneNumber, backgroundJob, limit: wholeNumberOption(given, 'limit') ?? LIMIT }
        await printRows(given, client.messages.list(query, { signal }), MESSAGE_COLUMNS)
        if (backgroundJob !== undefined) printError(`${countsSentence(await deliveryCounts(session, backgroundJob))}\n`)
      }
      return undefined
    },
  },
}

const countsSentence = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count.toLocaleString('en-US')} ${status}`)
    .join(', ')

export const resendCommand: Command = {
  name: 'resend',
  group: 'Messages',
  summary: 'Send a FAILED or UNKNOWN message again',
  arguments: [{ name: 'message', summary: 'the id of the message' }],
  options: ONE_OPTIONS,
  examples: [],
  run: {
    async remote({ client, signal }, given) {
      await printOne(given, await client.messages.resend(given.words[0] ?? '', { signal }), MESSAGE_COLUMNS)
      return undefined
    },
  },
}
