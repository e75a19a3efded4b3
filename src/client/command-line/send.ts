import type { Plugin, Recipient } from '../client.ts'
import type { BulkSendTemplateMessageBody } from '../generated/bodies.ts'
import {
  type Command,
  EXIT,
  type ExitCode,
  type Options,
  type ParsedArguments,
  type Session,
  UsageError,
} from './command/command.ts'
import { getChoice, getJson, getOption, getOptionList, hasFlag, parsePair } from './command/options.ts'
import { watchPlan } from './job-plan.ts'
import { FROM_OPTION, findSender, findSendingPlugin, MESSAGE_COLUMNS, PLUGIN_OPTION } from './messages.ts'
import { ONE_OPTIONS, printOne, printRows } from './output/rows.ts'
import { confirm, printError } from './output/terminal.ts'
import {
  CONFIRMATION_OPTIONS,
  getConfirmations,
  getWhere,
  KEY_OPTION,
  toAddress,
  WHERE_OPTION,
  YES_OPTION,
} from './process-options.ts'
import { countMatches, formatProcessCount } from './processes.ts'
import { listRecipients, summarizeSend } from './send-check.ts'
import { followJob } from './watch.ts'

const STEPS = ['SENT', 'DELIVERED', 'READ'] as const

/** The options that fill a template. */
const TEMPLATE_OPTIONS = {
  language: { value: 'code', summary: 'of the template, if it exists in several' },
  header: { value: 'name=value', summary: 'a parameter of the header', multiple: true },
  button: { value: 'name=value', summary: 'a parameter of a button', multiple: true },
  image: { value: 'address', summary: 'the image of the header' },
  video: { value: 'address', summary: 'the video of the header' },
  document: { value: 'address', summary: 'the document of the header' },
  filename: { value: 'name', summary: 'the name of the document' },
  otp: { value: 'code', summary: 'the one-time password' },
} as const satisfies Options

export const sendCommand: Command = {
  name: 'send',
  group: 'Messages',
  summary: 'Send a template message to one customer, or with --where to all that match',
  details:
    'With --where, the command shows how many processes match and asks. The job that sends the messages is then followed to its end. --dry-run prints a row for each: the process, the number, and SEND with the text, or the code of the error and its reason. Nothing is sent; apply sends exactly that, to those whose process, number and text are the same by then.',
  arguments: [
    { name: 'template', summary: 'the name of the template' },
    { name: 'name=value', summary: 'a parameter of the body', optional: true, many: true },
  ],
  options: {
    to: { value: 'recipient', summary: 'a phone number, or a process as procedure/process: lead/LEAD-7' },
    procedure: { value: 'procedure', summary: 'with --where: the procedure', completed: 'procedure' },
    ...WHERE_OPTION,
    attribute: { value: 'name=attribute', summary: 'with --where: a parameter from an attribute', multiple: true },
    ...CONFIRMATION_OPTIONS,
    ...YES_OPTION,
    'dry-run': { summary: 'print who would get it and who not, and why; nothing is sent' },
    detach: { summary: 'with --where: print the id of the job and do not wait' },
    ...TEMPLATE_OPTIONS,
    ...PLUGIN_OPTION,
    ...FROM_OPTION,
    wait: { value: 'status', summary: 'until the message has this status', choices: STEPS },
    ...KEY_OPTION,
    ...ONE_OPTIONS,
  },
  examples: [
    'send order_update 1=Liv 2=A17 --to lead/LEAD-7 --language en_US --wait DELIVERED',
    `send order_update 2=A18 --procedure lead --where '{"city": "Pune"}' --attribute 1=name`,
    `send order_update 2=A18 --procedure lead --where '{"city": "Pune"}' --attribute 1=name --dry-run`,
  ],
  run: {
    remote(session, args) {
      const isMany = getJson(args, 'where') !== undefined
      if (isMany === (getOption(args, 'to') !== undefined)) throw new UsageError('send takes either --to or --where')
      return isMany ? sendWhere(session, args) : sendOne(session, args)
    },
  },
}

const PHONE_NUMBER = /^\s*\+?\d[\d\s()./-]*$/
const IS_INTERNATIONAL = /^\s*(\+|00)/

/** `lead/LEAD-7`, or a phone number: without the "(0)" after a country code, which is dialled inside the country only. */
export function parseRecipient(text: string): Recipient {
  const slash = text.indexOf('/')
  if (slash > 0 && !IS_INTERNATIONAL.test(text))
    return { procedure: text.slice(0, slash), process: text.slice(slash + 1) }
  if (!PHONE_NUMBER.test(text)) return { phoneNumber: text }
  const written = IS_INTERNATIONAL.test(text) ? text.replace('(0)', '') : text
  return { phoneNumber: written.replace(/\D/g, '').replace(/^00/, '') }
}

async function sendOne(session: Session, args: ParsedArguments): Promise<ExitCode | undefined> {
  const { client, signal } = session
  const [template = '', ...values] = args.words
  const plugin = await findSendingPlugin(session, args)
  const body = buildTemplateBody(args, template, values, findSender(plugin, args))
  if (hasFlag(args, 'dry-run')) return checkOne(session, args, plugin, body)
  const options = { signal, idempotencyKey: getOption(args, 'idempotency-key') }
  const sent = await client.messages.send(plugin.id, parseRecipient(getOption(args, 'to') ?? ''), body, options)
  const until = getChoice(args, 'wait', STEPS)
  const message = until === undefined ? sent : await client.messages.wait(sent.id, { until, signal })
  await printOne(args, message, MESSAGE_COLUMNS)
  return message.deliveryStatus === 'FAILED' ? EXIT.failed : undefined
}

/** The dry run of one message: as a job with one entry. */
async function checkOne(
  session: Session,
  args: ParsedArguments,
  plugin: Plugin,
  body: TemplateBody,
): Promise<ExitCode | undefined> {
  const { client, signal } = session
  const to = parseRecipient(getOption(args, 'to') ?? '')
  const options = { signal, dryRun: true }
  if ('phoneNumber' in to) {
    const apiData = { pluginId: plugin.id, ...to, ...body }
    const { id } = await client.jobs.schedule({ entries: [{ apiType: 'TEMPLATE_MESSAGE', apiData }] }, options)
    return showRecipients(session, args, id)
  }
  const definition = await client.procedures.get(to.procedure ?? '', { signal })
  const address = toAddress(definition, to.process)
  const processes = [typeof address === 'string' ? { id: address } : address]
  const request = { ...body, processes } as BulkSendTemplateMessageBody
  return showRecipients(
    session,
    args,
    (await client.messages.sendMany(plugin.id, definition.shortId, request, options)).id,
  )
}

const RECIPIENT_COLUMNS = ['process', 'phone', 'result', 'before', 'reason', 'text']

/** Prints a row for each entry of a dry run, and the totals. */
async function showRecipients(session: Session, args: ParsedArguments, id: string): Promise<ExitCode | undefined> {
  const plan = await watchPlan(session, id)
  let repeated = 0
  async function* rows() {
    for await (const row of listRecipients(plan.entries({ signal: session.signal }))) {
      if (row.before > 0) repeated += 1
      yield row
    }
  }
  await printRows(args, rows(), RECIPIENT_COLUMNS)
  for (const line of summarizeSend(plan, repeated)) printError(`${line}\n`)
  return plan.counts.SUCCESS === plan.job.total ? undefined : EXIT.failed
}

/** Sends to the customers of all processes that match, after their number was shown and confirmed. */
async function sendWhere(session: Session, args: ParsedArguments): Promise<ExitCode | undefined> {
  const { client, signal } = session
  const [template = '', ...values] = args.words
  const procedure = getOption(args, 'procedure')
  if (procedure === undefined) throw new UsageError('--where needs --procedure')
  if (getOption(args, 'wait') !== undefined) throw new UsageError('--wait is for one message')
  const where = getWhere(args) ?? {}
  if (Object.keys(where).length === 0 && !hasFlag(args, 'all'))
    throw new UsageError("--where '{}' matches every process: say so with --all")
  const plugin = await findSendingPlugin(session, args)
  const body = buildTemplateBody(args, template, values, findSender(plugin, args))
  const fromAttributes = getOptionList(args, 'attribute').map(word => {
    const [schemaPropertyName, attribute] = parsePair(word)
    return { schemaPropertyName, attribute }
  })
  const mapping = [...body.mapping, ...fromAttributes]
  const request = { ...body, mapping, where, ...getConfirmations(args) } as BulkSendTemplateMessageBody
  if (hasFlag(args, 'dry-run')) {
    const { id } = await client.messages.sendMany(plugin.id, procedure, request, { signal, dryRun: true })
    return showRecipients(session, args, id)
  }
  const count = await countMatches(session, procedure, where)
  if (count === 0) {
    printError(`no process of ${procedure} matches: nothing was sent\n`)
    return undefined
  }
  await confirm(
    `${template} will be sent to the customers of ${formatProcessCount(count, procedure)}. Continue?`,
    hasFlag(args, 'yes'),
    signal,
  )
  const options = { signal, idempotencyKey: getOption(args, 'idempotency-key') }
  const { id } = await client.messages.sendMany(plugin.id, procedure, request, options)
  const ended = await followJob(session, args, id)
  printError(`what becomes of the messages: caseworker messages --job ${id} --counts\n`)
  return ended
}

const TEMPLATE_FIELDS = {
  language: 'language',
  imageUrl: 'image',
  videoUrl: 'video',
  documentUrl: 'document',
  filename: 'filename',
  otpCode: 'otp',
} as const

interface Parameter {
  schemaPropertyName: string
  schemaPropertyValue: string
}

const parseParameters = (words: readonly string[]): Parameter[] =>
  words.map(word => {
    const [schemaPropertyName, schemaPropertyValue] = parsePair(word)
    return { schemaPropertyName, schemaPropertyValue }
  })

type TemplateBody = ReturnType<typeof buildTemplateBody>

/** The body of a message: the template, and the values of its parameters. */
function buildTemplateBody(args: ParsedArguments, template: string, values: readonly string[], sender: string) {
  const fields = Object.entries(TEMPLATE_FIELDS).flatMap(([field, option]) => {
    const value = getOption(args, option)
    return value === undefined ? [] : [[field, value]]
  })
  return {
    whatsappPhoneNumberId: sender,
    templateName: template,
    mapping: parseParameters(values),
    headerMapping: parseParameters(getOptionList(args, 'header')),
    buttonMapping: parseParameters(getOptionList(args, 'button')),
    ...(Object.fromEntries(fields) as { [Field in keyof typeof TEMPLATE_FIELDS]?: string }),
  }
}
