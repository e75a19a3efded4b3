import type { Command } from '../command/command.ts'
import { hasFlag, limitOption, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { printOne, printRows, ROW_OPTIONS } from '../output/print-rows.ts'

const LIMIT = 20
const COLUMNS = ['id', 'createdAt', 'data']

export const recordsCommand: Command = {
  name: 'records',
  group: 'Customers',
  summary: 'List customers, find them by name, phone number or e-mail address, or show one',
  arguments: [{ name: 'record', summary: 'the id of a customer', optional: true }],
  options: {
    search: { value: 'words', summary: 'words of a name; each begins a word of it' },
    phone: { value: 'number', summary: 'a phone number with its country code' },
    email: { value: 'address', summary: 'an e-mail address' },
    all: { summary: 'all of them' },
    limit: { value: 'n', summary: `the maximum number (default ${LIMIT})` },
    ...ROW_OPTIONS,
  },
  examples: ['records --search "mei tanaka" --columns id,data.name,data.phone', 'records --phone 4791230901'],
  run: {
    async remote({ client, signal }, given) {
      const [id] = given.words
      const [search, phone, email] = ['search', 'phone', 'email'].map(name => textOption(given, name))
      if ([id, search, phone, email].filter(each => each !== undefined).length > 1)
        throw new UsageError('records takes one of <record>, --search, --phone and --email')
      const limit = limitOption(given)
      if (id !== undefined) {
        await printOne(given, await client.records.get(id, { signal }), COLUMNS)
        return undefined
      }
      const paging = { limit: hasFlag(given, 'all') ? undefined : (limit ?? LIMIT) }
      if (search !== undefined) await printRows(given, client.records.search(search, paging, { signal }), COLUMNS)
      else if (phone === undefined && email === undefined)
        await printRows(given, client.records.list(paging, { signal }), COLUMNS)
      else {
        const found = await client.records.find(email === undefined ? { phone: phone ?? '' } : { email }, { signal })
        await printRows(given, found ? [found] : [], COLUMNS)
      }
      return undefined
    },
  },
}
