import type { Caseworker } from '../client.ts'
import type { MergedCustomer } from '../generated/shapes.ts'
import { type Command, type ParsedArguments, UsageError } from './command/command.ts'
import { getLimit, getOption, hasFlag } from './command/options.ts'
import { printOne, printRows, ROW_OPTIONS } from './output/rows.ts'
import { confirm, formatCount, print } from './output/terminal.ts'
import { YES_OPTION } from './process-options.ts'

const LIMIT = 20
const COLUMNS = ['id', 'createdAt', 'data']

export const recordsCommand: Command = {
  name: 'records',
  group: 'Customers',
  summary: 'List customers, find them by name, phone number or e-mail address, show one, or merge one into another',
  details:
    'With --merge-into, the command shows what would be merged, and asks. Processes, messages, phone numbers and e-mail addresses are the other customer’s from then on, and the id leads there; nothing undoes it.',
  arguments: [{ name: 'record', summary: 'the id of a customer', optional: true }],
  options: {
    search: { value: 'words', summary: 'words of a name; each begins a word of it' },
    phone: { value: 'number', summary: 'a phone number with its country code' },
    email: { value: 'address', summary: 'an e-mail address' },
    all: { summary: 'all of them' },
    limit: { value: 'n', summary: `the maximum number (default ${LIMIT})` },
    'merge-into': { value: 'record', summary: 'merge the customer into the one with this id' },
    'dry-run': { summary: 'with --merge-into: print what would be merged, and change nothing' },
    ...YES_OPTION,
    ...ROW_OPTIONS,
  },
  examples: [
    'records --search "mei tanaka" --columns id,data.name,data.phone',
    'records --phone 4791230901',
    'records 01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d --merge-into 01935c1e-5a00-7013-8c6d-3e4f5a6b7c8d --dry-run',
  ],
  run: {
    async remote({ client, signal }, args) {
      const [id] = args.words
      const [search, phone, email] = ['search', 'phone', 'email'].map(name => getOption(args, name))
      if ([id, search, phone, email].filter(each => each !== undefined).length > 1)
        throw new UsageError('records takes one of <record>, --search, --phone and --email')
      const into = getOption(args, 'merge-into')
      if (into !== undefined) {
        if (id === undefined) throw new UsageError('--merge-into needs <record>: the customer who is merged')
        await mergeRecord(client, { id, into, args, signal })
        return undefined
      }
      if (hasFlag(args, 'dry-run')) throw new UsageError('--dry-run belongs to --merge-into')
      const limit = getLimit(args)
      if (id !== undefined) {
        await printOne(args, await client.records.get(id, { signal }), COLUMNS)
        return undefined
      }
      const paging = { limit: hasFlag(args, 'all') ? undefined : (limit ?? LIMIT) }
      if (search !== undefined) await printRows(args, client.records.search(search, paging, { signal }), COLUMNS)
      else if (phone === undefined && email === undefined)
        await printRows(args, client.records.list(paging, { signal }), COLUMNS)
      else {
        const found = await client.records.find(email === undefined ? { phone: phone ?? '' } : { email }, { signal })
        await printRows(args, found ? [found] : [], COLUMNS)
      }
      return undefined
    },
  },
}

interface Merge {
  id: string
  into: string
  args: ParsedArguments
  signal: AbortSignal
}

/** Shows both customers before it merges them, since nothing can undo a merge. */
async function mergeRecord(client: Caseworker, { id, into, args, signal }: Merge): Promise<void> {
  const outlook = await client.records.merge(id, into, { dryRun: true, signal })
  if (hasFlag(args, 'dry-run')) return print(`would be merged into ${into}: ${formatParts(outlook)}\n`)
  await confirm(
    `${id} will be merged into ${into}: ${formatParts(outlook)}. Nothing undoes it. Continue?`,
    hasFlag(args, 'yes'),
    signal,
  )
  const { isComplete } = await client.records.merge(id, into, { signal })
  await print(`${id} is merged into ${into}${isComplete ? '' : '; its processes follow within minutes'}\n`)
}

const formatParts = ({ processes, messages, phones, emails, attributes }: MergedCustomer): string =>
  [
    formatCount(processes, 'process', 'processes'),
    formatCount(messages, 'message', 'messages'),
    ...[...phones, ...emails],
    ...attributes,
  ].join(', ')
