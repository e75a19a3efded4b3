import type { Webhook } from '../generated/shapes.ts'
import { type Command, EXIT, type ExitCode, type ParsedArguments, type Session, UsageError } from './command/command.ts'
import { getChoice, getOption, getWholeNumber, hasFlag } from './command/options.ts'
import { printOne, printRows, ROW_OPTIONS } from './output/rows.ts'
import { printError } from './output/terminal.ts'

const ACTIONS = ['list', 'create', 'test', 'deliveries', 'replay'] as const
const ORDERS = ['any', 'strict'] as const
const LIMIT = 20
const COLUMNS = [
  'id',
  'url',
  'types',
  'order',
  'enabled',
  'disabledReason',
  'isSecretReadable',
  'behind',
  'oldestWaitingSince',
  'description',
]
const TEST_COLUMNS = ['isDelivered', 'status', 'ms', 'error', 'response']
const REPLAY_COLUMNS = ['id', 'from', 'to', 'events']
const DELIVERY_COLUMNS = ['at', 'sequence', 'type', 'attempt', 'status', 'ms', 'error', 'nextAttemptAt', 'event']

const getNames = (args: ParsedArguments, option: string): string[] | undefined =>
  getOption(args, option)
    ?.split(',')
    .map(each => each.trim())

export const webhooksCommand: Command = {
  name: 'webhooks',
  group: 'Events',
  summary: 'List webhooks, create one, send it a test, list its deliveries, or send events again',
  details:
    'The secret of a new webhook is in what create prints, and nowhere else. test prints what came back, and ends with 1 if the receiver did not accept it. replay sends events once more: those from a number on, or some by their ids.',
  arguments: [
    { name: 'action', summary: 'what to do (default list)', optional: true, choices: ACTIONS },
    { name: 'webhook', summary: 'its id; of a new one the address that events are sent to', optional: true },
  ],
  options: {
    types: { action: 'create', value: 'types', summary: 'only these types of events, with commas between them' },
    procedures: {
      action: 'create',
      value: 'names',
      summary: 'only processes of these procedures, with commas between them',
    },
    order: {
      action: 'create',
      value: 'order',
      summary: 'whether nothing passes what failed (default any)',
      choices: ORDERS,
    },
    description: { action: 'create', value: 'text', summary: 'what it is for' },
    from: { action: 'replay', value: 'n', summary: 'the number of the first event' },
    to: { action: 'replay', value: 'n', summary: 'the number of the last event (default the last that happened)' },
    events: { action: 'replay', value: 'ids', summary: 'the ids of events, with commas between them' },
    failed: { action: 'deliveries', summary: 'only attempts that failed' },
    limit: { action: 'deliveries', value: 'n', summary: `the maximum number (default ${LIMIT})` },
    ...ROW_OPTIONS,
  },
  examples: [
    'webhooks create https://www.example.com/webhooks --types process.created,process.updated',
    'webhooks deliveries 01a20220-abf5-79f6-85f4-01e9682e120b --failed',
    'webhooks replay 01a20220-abf5-79f6-85f4-01e9682e120b --from 20 --to 23',
  ],
  run: {
    async remote(session, args) {
      const [action = 'list', webhook] = args.words
      if (action === 'list') {
        if (webhook !== undefined) throw new UsageError('webhooks list takes no further argument')
        await printRows(args, await session.client.webhooks.list({ signal: session.signal }), COLUMNS)
        return undefined
      }
      if (webhook === undefined)
        throw new UsageError(
          `webhooks ${action} needs ${action === 'create' ? 'the address' : 'the id of the webhook'}`,
        )
      if (action === 'create') return create(session, args, webhook)
      if (action === 'replay') return replay(session, args, webhook)
      return action === 'test' ? test(session, args, webhook) : listDeliveries(session, args, webhook)
    },
  },
}

async function create({ client, signal }: Session, args: ParsedArguments, url: string): Promise<undefined> {
  const body = {
    url,
    // The API names a type or a procedure that does not exist.
    types: getNames(args, 'types') as Webhook['types'],
    procedures: getNames(args, 'procedures'),
    order: getChoice(args, 'order', ORDERS),
    description: getOption(args, 'description'),
  }
  await printOne(args, await client.webhooks.create(body as { url: string }, { signal }), ['id', 'url', 'secret'])
  return undefined
}

async function test({ client, signal }: Session, args: ParsedArguments, id: string): Promise<ExitCode | undefined> {
  const sent = await client.webhooks.test(id, { signal })
  await printOne(args, sent, TEST_COLUMNS)
  return sent.isDelivered ? undefined : EXIT.failed
}

async function replay({ client, signal }: Session, args: ParsedArguments, id: string): Promise<undefined> {
  const [from, to, events] = [getWholeNumber(args, 'from'), getWholeNumber(args, 'to'), getNames(args, 'events')]
  if (from === undefined && events === undefined) throw new UsageError('webhooks replay needs --from or --events')
  const body = {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(events === undefined ? {} : { events }),
  }
  await printOne(args, await client.webhooks.replay(id, body, { signal }), REPLAY_COLUMNS)
  return undefined
}

async function listDeliveries({ client, signal }: Session, args: ParsedArguments, id: string): Promise<undefined> {
  const query = {
    ...(hasFlag(args, 'failed') ? { failed: 'true' as const } : {}),
    limit: getWholeNumber(args, 'limit') ?? LIMIT,
  }
  await printRows(args, client.webhooks.deliveries(id, query, { signal }), DELIVERY_COLUMNS)
  const { meta } = await client.call(
    'listWebhookDeliveries',
    { path: { webhookId: id }, query: { limit: 1 } },
    { signal },
  )
  const { position, latest, waiting } = meta
  printError(`delivered up to event ${position} of ${latest}; ${waiting} wait to be sent again\n`)
  return undefined
}
