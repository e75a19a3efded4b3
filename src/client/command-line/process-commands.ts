import type { Address, Procedure } from '../client.ts'
import { jsonOption, type ParsedArguments, textOption, UsageError } from './arguments.ts'
import { type Changes, setField, undeclaredAttributes } from './columns.ts'
import { print, printError, type Session } from './terminal.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const LIMIT = 100

const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`
const prettyJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

export async function list({ client, signal }: Session, parsed: ParsedArguments): Promise<void> {
  const [procedure = ''] = parsed.names
  const limit = Number(textOption(parsed, 'limit') ?? LIMIT)
  if (!(Number.isInteger(limit) && limit > 0)) throw new UsageError('--limit takes a whole number above 0')
  const sort = [parsed.options.sort ?? []].flat().map(each => sortOf(String(each)))
  const where = jsonOption(parsed, 'where')
  const query = { limit, ...(sort.length > 0 ? { sort } : {}), ...(where === undefined ? {} : { where }) }
  for await (const process of client.processes(procedure).list(query as object, { signal }))
    await print(lineOf(process))
}

function sortOf(given: string): { field: string; order: 'asc' | 'desc' } {
  const [, field = '', order = 'asc'] = /^(.+?)(?::(asc|desc))?$/.exec(given) ?? []
  return { field, order: order === 'desc' ? 'desc' : 'asc' }
}

export async function get(
  { client, signal }: Session,
  { names: [procedure = '', name = ''] }: ParsedArguments,
): Promise<void> {
  const address = UUID.test(name) ? name : addressIn(await client.procedures.get(procedure, { signal }), name)
  await print(prettyJson(await client.processes(procedure).get(address, { signal })))
}

export async function update({ client, signal }: Session, parsed: ParsedArguments): Promise<void> {
  const [procedure = '', name = '', ...settings] = parsed.names
  const data = jsonOption(parsed, 'data')
  if (settings.length === 0 && data === undefined) throw new UsageError('update takes <field>=<value>, or --data')
  const definition = await client.procedures.get(procedure, { signal })
  const changes: Changes = data === undefined ? {} : { data }
  for (const setting of settings) {
    const [, field, value] = /^([^=]+)=([\s\S]*)$/.exec(setting) ?? []
    if (field === undefined || value === undefined) throw new UsageError(`${setting} is not <field>=<value>`)
    setField(changes, definition, field, value)
  }
  for (const sentence of undeclaredAttributes(definition, Object.keys(changes.data ?? {}), 'update'))
    printError(`warning: ${sentence}; it is sent as it is\n`)
  const ifMatch = textOption(parsed, 'if-match')
  const address = addressIn(definition, name)
  await print(prettyJson(await client.processes(procedure).update(address, changes, { ifMatch, signal })))
}

function addressIn({ primaryKey, shortId }: Procedure, name: string): Address {
  if (UUID.test(name)) return name
  if (primaryKey === null) throw new UsageError(`${shortId} has no primary key: name a process by its id`)
  return { [primaryKey]: name }
}
