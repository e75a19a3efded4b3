import type { Webhook } from '../../generated/shapes.ts'
import type { Command, Given, Session } from '../command/command.ts'
import { choiceOption, hasFlag, textOption, wholeNumberOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { printOne, printRows, ROW_OPTIONS } from '../output/print-rows.ts'
import { printError } from '../output/terminal.ts'

const ACTIONS = ['list', 'create', 'test', 'deliveries'] as const
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
const DELIVERY_COLUMNS = ['at', 'sequence', 'type', 'attempt', 'status', 'ms', 'error', 'nextAttemptAt', 'event']

const namesIn = (given: Given, option: string): string[] | undefined =>
  textOption(given, option)
    ?.split(',')
    .map(each => each.trim())

export const webhooksCommand: Command = {
  name: 'webhooks',
  group: 'Events',
  summary: 'List webhooks, create one, send it a test, or list its deliveries',
  details:
    'The secret of a new webhook is in what create prints, and nowhere else. test prints what came back, and ends with 1 if the receiver did not accept it.',
  arguments: [
    { name: 'action', summary: 'what to do (default list)', optional: true, choices: ACTIONS },
    { name: 'webhook', summary: 'its id; of a new one the address that events are sent to', optional: true },
  ],
  options: {
    types: { value: 'types', summary: 'create: only these types of events, with commas between them' },
    procedures: { value: 'names', summary: 'create: only processes of these procedures, with commas between them' },
    order: { value: 'order', summary: 'create: whether nothing passes what failed (default any)', choices: ORDERS },
    description: { value: 'text', summary: 'create: what it is for' },
    failed: { summary: 'deliveries: only attempts that failed' },
    limit: { value: 'n', summary: `deliveries: the maximum number (default ${LIMIT})` },
    ...ROW_OPTIONS,
  },
  examples: [
    'webhooks create https://www.example.com/webhooks --types process.created,process.updated',
    'webhooks deliveries 01a20220-abf5-79f6-85f4-01e9682e120b --failed',
  ],
  run: {
    async remote(session, given) {
      const [action = 'list', webhook] = given.words
      if (action === 'list') {
        if (webhook !== undefined) throw new UsageError('webhooks list takes no further argument')
        await printRows(given, await session.client.webhooks.list({ signal: session.signal }), COLUMNS)
        return undefined
      }
      if (webhook === undefined)
        throw new UsageError(
          `webhooks ${action} needs ${action === 'create' ? 'the address' : 'the id of the webhook'}`,
        )
      if (action === 'create') return create(session, given, webhook)
      return action === 'test' ? test(session, given, webhook) : listDeliveries(session, given, webhook)
    },
  },
}

async function create({ client, signal }: Session, given: Given, url: string): Promise<undefined> {
  const body = {
    url,
    // The API names a type or a procedure that does not exist.
    types: namesIn(given, 'types') as Webhook['types'],
    procedures: namesIn(given, 'procedures'),
    order: choiceOption(given, 'order', ORDERS),
    description: textOption(given, 'description'),
  }
  await printOne(given, await client.webhooks.create(body as { url: string }, { signal }), ['id', 'url', 'secret'])
  return undefined
}

async function test({ client, signal }: Session, given: Given, id: string): Promise<1 | undefined> {
  const sent = await client.webhooks.test(id, { signal })
  await printOne(given, sent, TEST_COLUMNS)
  return sent.isDelivered ? undefined : 1
}

async function listDeliveries({ client, signal }: Session, given: Given, id: string): Promise<undefined> {
  const query = {
    ...(hasFlag(given, 'failed') ? { failed: 'true' as const } : {}),
    limit: wholeNumberOption(given, 'limit') ?? LIMIT,
  }
  await printRows(given, client.webhooks.deliveries(id, query, { signal }), DELIVERY_COLUMNS)
  const { meta } = await client.call(
    'listWebhookDeliveries',
    { path: { webhookId: id }, query: { limit: 1 } },
    { signal },
  )
  const { position, latest, waiting } = meta
  printError(`delivered up to event ${position} of ${latest}; ${waiting} wait to be sent again\n`)
  return undefined
}
