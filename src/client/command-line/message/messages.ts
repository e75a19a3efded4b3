import type { Command, Session } from '../command/command.ts'
import { choiceOption, hasFlag, limitOption, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { howMany } from '../output/how-many.ts'
import { ONE_OPTIONS, printOne, printRows, ROW_OPTIONS } from '../output/print-rows.ts'
import { print, printError } from '../output/terminal.ts'
import { addressOf, isProcessId } from '../process/address.ts'

const LIMIT = 20
const STATUSES = ['PENDING', 'UNKNOWN', 'SENT', 'FAILED', 'DELIVERED', 'READ'] as const
export const MESSAGE_COLUMNS = [
  'id',
  'deliveryStatus',
  'timestamp',
  'context.contactIdentifier',
  'text',
  'error.advice',
]

/** The number of messages of a job by their delivery status. Retries, reasons and the entries that have none are told. */
async function deliveryCounts({ client, signal }: Session, id: string): Promise<Record<string, number>> {
  const job = await client.jobs.get(id, { signal })
  const { deliveries = {}, deliveryFailures = [], retries, total, completedAt } = job
  if (retries)
    printError(
      `with the newest try of ${howMany(retries.entries, 'entry that was', 'entries that were')} retried: caseworker jobs ${retries.newest}\n`,
    )
  for (const { count, title, code, advice } of deliveryFailures)
    printError(
      `  ${count.toLocaleString('en-US')} FAILED × ${title ?? 'not sent'}${code === null ? '' : ` (${code})`}${advice ? `: ${advice}` : ''}\n`,
    )
  const without = total - Object.values(deliveries).reduce((sum, each) => sum + each, 0)
  if (without > 0)
    printError(
      `${howMany(without, 'entry has', 'entries have')} no message${
        completedAt === 0 ? ' yet' : `: caseworker results ${id} --failed`
      }\n`,
    )
  return deliveries
}

/** The id of a process that was named by it, or as `lead/LEAD-7`. */
async function processIdOf({ client, signal }: Session, name: string): Promise<string> {
  const slash = name.indexOf('/')
  if (slash <= 0) {
    if (!isProcessId(name))
      throw new UsageError(`--process takes the id of a process, or procedure/process, not ${name}`)
    return name
  }
  const procedure = name.slice(0, slash)
  const definition = await client.procedures.get(procedure, { signal })
  return (await client.processes(procedure).get(addressOf(definition, name.slice(slash + 1)), { signal })).id
}

export const messagesCommand: Command = {
  name: 'messages',
  group: 'Messages',
  summary: 'List the messages of a process, a phone number or a job, or show one',
  details:
    'With --job, the newest message of each entry is listed, also if a retry of the job sent it; the number of messages of each delivery status is printed, too, and why some failed. --counts prints these numbers alone, as JSON.',
  arguments: [{ name: 'message', summary: 'the id of a message', optional: true }],
  options: {
    process: { value: 'id', summary: 'the id of a process, or procedure/process: lead/LEAD-7' },
    phone: { value: 'number', summary: 'a phone number with its country code, digits only' },
    job: { value: 'id', summary: 'the id of a job that has sent messages' },
    counts: { summary: 'with --job: the number of messages of each delivery status' },
    status: { value: 'status', summary: 'with --job: only messages with this delivery status', choices: STATUSES },
    all: { summary: 'all of them' },
    limit: { value: 'n', summary: `the maximum number (default ${LIMIT})` },
    ...ROW_OPTIONS,
  },
  examples: [
    'messages --phone 4791230901 --columns timestamp,deliveryStatus,text',
    'messages --job 01a20220-abf5-79f6-85f4-01e9682e120b --counts',
    'messages --job 01a20220-abf5-79f6-85f4-01e9682e120b --status FAILED --all --format csv',
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
      const status = choiceOption(given, 'status', STATUSES)
      if (status !== undefined && backgroundJob === undefined) throw new UsageError('--status needs --job')
      const limit = limitOption(given)
      if (id !== undefined) await printOne(given, await client.messages.get(id, { signal }), MESSAGE_COLUMNS)
      else if (hasFlag(given, 'counts') && backgroundJob !== undefined)
        await print(`${JSON.stringify(await deliveryCounts(session, backgroundJob))}\n`)
      else {
        const ofProcess = process === undefined ? undefined : await processIdOf(session, process)
        const query = {
          process: ofProcess,
          phoneNumber,
          backgroundJob,
          ...(status === undefined ? {} : { status }),
          limit: hasFlag(given, 'all') ? undefined : (limit ?? LIMIT),
        }
        const columns = backgroundJob === undefined ? MESSAGE_COLUMNS : ['processKey', ...MESSAGE_COLUMNS]
        await printRows(given, client.messages.list(query, { signal }), columns)
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
