import type { Job, Plugin } from '../client.ts'
import { type Command, type Options, type ParsedArguments, type Session, UsageError } from './command/command.ts'
import { getChoice, getLimit, getOption, hasFlag } from './command/options.ts'
import { ONE_OPTIONS, printOne, printRows, ROW_OPTIONS } from './output/rows.ts'
import { formatCount, formatNumber, print, printError } from './output/terminal.ts'
import { isProcessId, toAddress } from './process-options.ts'

export const PLUGIN_OPTION = {
  plugin: { value: 'plugin', summary: 'the id or name of the plugin, if there are several' },
} as const satisfies Options
export const FROM_OPTION = {
  from: { value: 'number', summary: 'the phone number to send from, or its id, if there are several' },
} as const satisfies Options

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

/**
 * Counts the messages of a job by their delivery status. It prints retries, reasons, and the number of entries without
 * a message.
 */
async function loadDeliveryCounts({ client, signal }: Session, id: string): Promise<Record<string, number>> {
  const job = await client.jobs.get(id, { signal })
  const { deliveries = {}, deliveryFailures = [], retries } = job
  if (retries)
    printError(
      `with the newest try of ${formatCount(retries.entries, 'entry that was', 'entries that were')} retried: caseworker jobs ${retries.newest}\n`,
    )
  for (const { count, title, code, advice } of deliveryFailures)
    printError(
      `  ${formatNumber(count)} FAILED × ${title ?? 'not sent'}${code === null ? '' : ` (${code})`}${advice ? `: ${advice}` : ''}\n`,
    )
  printError(describeUncounted(job))
  return deliveries
}

/** Says which entries the numbers leave out: those without a message, or where there was no time, those that were not counted. */
export function describeUncounted({ id, deliveries = {}, isDeliveryCountComplete, total, completedAt }: Job): string {
  const counted = Object.values(deliveries).reduce((sum, each) => sum + each, 0)
  if (isDeliveryCountComplete === false)
    return `only the messages of the first entries were counted, as there was no time for all: ${formatNumber(counted)} so far\n`
  const without = total - counted
  const advice = completedAt === 0 ? ' yet' : `: caseworker results ${id} --failed`
  return without > 0 ? `${formatCount(without, 'entry has', 'entries have')} no message${advice}\n` : ''
}

/** The id of a process that was named by it, or as `lead/LEAD-7`. */
async function findProcessId({ client, signal }: Session, name: string): Promise<string> {
  const slash = name.indexOf('/')
  if (slash <= 0) {
    if (!isProcessId(name))
      throw new UsageError(`--process takes the id of a process, or procedure/process, not ${name}`)
    return name
  }
  const procedure = name.slice(0, slash)
  const definition = await client.procedures.get(procedure, { signal })
  return (await client.processes(procedure).get(toAddress(definition, name.slice(slash + 1)), { signal })).id
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
    async remote(session, args) {
      const { client, signal } = session
      const [id] = args.words
      const [process, phoneNumber] = [getOption(args, 'process'), getOption(args, 'phone')]
      const backgroundJob = getOption(args, 'job')
      if ([id, process, phoneNumber, backgroundJob].filter(each => each !== undefined).length !== 1)
        throw new UsageError('messages takes one of <message>, --process, --phone and --job')
      if (hasFlag(args, 'counts') && backgroundJob === undefined) throw new UsageError('--counts needs --job')
      const status = getChoice(args, 'status', STATUSES)
      if (status !== undefined && backgroundJob === undefined) throw new UsageError('--status needs --job')
      const limit = getLimit(args)
      if (id !== undefined) await printOne(args, await client.messages.get(id, { signal }), MESSAGE_COLUMNS)
      else if (hasFlag(args, 'counts') && backgroundJob !== undefined)
        await print(`${JSON.stringify(await loadDeliveryCounts(session, backgroundJob))}\n`)
      else {
        const ofProcess = process === undefined ? undefined : await findProcessId(session, process)
        const query = {
          process: ofProcess,
          phoneNumber,
          backgroundJob,
          ...(status === undefined ? {} : { status }),
          limit: hasFlag(args, 'all') ? undefined : (limit ?? LIMIT),
        }
        const columns = backgroundJob === undefined ? MESSAGE_COLUMNS : ['processKey', ...MESSAGE_COLUMNS]
        await printRows(args, client.messages.list(query, { signal }), columns)
        if (backgroundJob !== undefined)
          printError(`${formatDeliveryCounts(await loadDeliveryCounts(session, backgroundJob))}\n`)
      }
      return undefined
    },
  },
}

const formatDeliveryCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${formatNumber(count)} ${status}`)
    .join(', ')

export const resendCommand: Command = {
  name: 'resend',
  group: 'Messages',
  summary: 'Send a FAILED or UNKNOWN message again',
  arguments: [{ name: 'message', summary: 'the id of the message' }],
  options: ONE_OPTIONS,
  examples: [],
  run: {
    async remote({ client, signal }, args) {
      await printOne(args, await client.messages.resend(args.words[0] ?? '', { signal }), MESSAGE_COLUMNS)
      return undefined
    },
  },
}

const TEMPLATE_COLUMNS = ['name', 'language', 'category', 'status', 'updatedAt', 'text']

/** The text of the body, which says more than the name. */
const getBodyText = (components: readonly { type: string; [field: string]: unknown }[]): unknown =>
  components.find(({ type }) => type.toUpperCase() === 'BODY')?.text ?? null

export const templatesCommand: Command = {
  name: 'templates',
  group: 'Messages',
  summary: 'List the templates of a plugin',
  arguments: [],
  options: {
    ...PLUGIN_OPTION,
    sync: { summary: 'fetch them from the provider first' },
    ...ROW_OPTIONS,
  },
  examples: ['templates --sync --columns name,language,text'],
  run: {
    async remote(session, args) {
      const { client, signal } = session
      const { id } = await findPlugin(session, args)
      if (hasFlag(args, 'sync'))
        printError(`${(await client.plugins.syncTemplates(id, { signal })).templates} templates\n`)
      const templates = await client.plugins.templates(id, { signal })
      const rows = templates.map(each => ({ ...each, text: getBodyText(each.components) }))
      await printRows(args, rows, TEMPLATE_COLUMNS)
      return undefined
    },
  },
}

const getDigits = (text: string): string => text.replace(/\D/g, '')

/** The plugin that is named, or the only one. */
async function findPlugin({ client, signal }: Session, args: ParsedArguments): Promise<Plugin> {
  const plugins = await client.plugins.list({ signal })
  const named = getOption(args, 'plugin')
  const found = named === undefined ? plugins : plugins.filter(({ id, name }) => id === named || name === named)
  const [plugin] = found
  if (plugin !== undefined && found.length === 1) return plugin
  const known = plugins.map(({ id, name }) => `${name} (${id})`).join(', ')
  if (plugins.length === 0) throw new UsageError('the team has no plugin')
  throw new UsageError(
    `${named === undefined ? 'there are several plugins' : `there is no one plugin ${named}`}: --plugin takes ${known}`,
  )
}

/** The plugin to send by. Where its secrets were encrypted with another key, nothing can be sent: its reader learns why first. */
export async function findSendingPlugin(session: Session, args: ParsedArguments): Promise<Plugin> {
  const plugin = await findPlugin(session, args)
  if (!plugin.areSecretsReadable)
    printError(
      `warning: the secrets of ${plugin.name} (${plugin.id}) can't be read, so nothing can be sent: enter them anew\n`,
    )
  return plugin
}

/** The id of the phone number that is named, or of the only one. */
export function findSender({ phoneNumbers, name }: Plugin, args: ParsedArguments): string {
  const named = getOption(args, 'from')
  const found =
    named === undefined
      ? phoneNumbers
      : phoneNumbers.filter(each => each.id === named || getDigits(each.displayNumber) === getDigits(named))
  const [sender] = found
  if (sender !== undefined && found.length === 1) return sender.id
  const known = phoneNumbers.map(({ id, displayNumber }) => `${displayNumber} (${id})`).join(', ')
  throw new UsageError(
    `${name} has ${named === undefined ? 'several phone numbers' : `no phone number ${named}`}: --from takes ${known}`,
  )
}
