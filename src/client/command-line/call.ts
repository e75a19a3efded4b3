import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CallInput, OperationId } from '../client.ts'
import { OPERATIONS } from '../generated/operations.ts'
import { type Command, type ParsedArguments, UsageError } from './command/command.ts'
import { getOption, hasFlag, parsePair, refuseDoubled } from './command/options.ts'
import { addSuggestion } from './command/parse.ts'
import { getColumns, printOne, printRows, ROW_OPTIONS } from './output/rows.ts'
import { print } from './output/terminal.ts'
import { KEY_OPTION } from './process-options.ts'

const isOperation = (name: string): name is OperationId => Object.hasOwn(OPERATIONS, name)

export const callCommand: Command = {
  name: 'call',
  group: 'Team',
  summary: 'Call any operation of the API, or list them',
  details: 'A <name> that is in the path of the operation fills it; the others are its query.',
  arguments: [
    { name: 'operation', summary: 'the id of the operation', optional: true, choices: Object.keys(OPERATIONS) },
    { name: 'name=value', summary: 'a part of the path, or a parameter of the query', optional: true, many: true },
  ],
  options: {
    body: { value: 'json', summary: 'the body: JSON, @file, or - for standard input' },
    upload: { value: 'file', summary: 'the file of an upload', completed: 'file' },
    meta: { summary: 'print data and meta' },
    accept: { value: 'type', summary: 'the media type of the response' },
    'if-match': { value: 'tag', summary: 'only if it still has this entity tag' },
    'if-none-match': { value: 'tag', summary: 'only if it has another entity tag' },
    ...KEY_OPTION,
    ...ROW_OPTIONS,
  },
  examples: [
    'call getProcessByPrimaryKey procedureShortId=lead primaryKeyShortId=lead_id primaryKeyValue=LEAD-7',
    `call createUser --body '{"username": "asha", "role": "agent"}'`,
    'call listUsers --format table --columns id,username,firstName',
  ],
  run: {
    async remote({ client, signal }, args) {
      const [name, ...words] = args.words
      if (name === undefined) {
        const rows = Object.entries(OPERATIONS).map(([operation, { method, path: at }]) => ({
          operation,
          method,
          path: at,
        }))
        await printRows(args, rows, ['operation', 'method', 'path'])
        return undefined
      }
      if (!isOperation(name))
        throw new UsageError(addSuggestion(`there is no operation ${name}`, name, Object.keys(OPERATIONS)))
      const options = {
        signal,
        accept: getOption(args, 'accept'),
        ifMatch: getOption(args, 'if-match'),
        ifNoneMatch: getOption(args, 'if-none-match'),
        idempotencyKey: getOption(args, 'idempotency-key'),
      }
      const { data, meta } = await client.call(name, await buildInput(args, name, words), options)
      await printResult(args, data, meta)
      return undefined
    },
  },
}

/** The API checks the parts. */
async function buildInput(
  args: ParsedArguments,
  name: OperationId,
  words: readonly string[],
): Promise<CallInput<OperationId>> {
  const pairs = words.map(parsePair)
  const isInPath = ([part]: [string, string]) => OPERATIONS[name].path.includes(`{${part}}`)
  const filled = Object.fromEntries(pairs.filter(isInPath))
  const missing = [...OPERATIONS[name].path.matchAll(/\{(\w+)\}/g)].find(([, part = '']) => !(part in filled))?.[1]
  if (missing !== undefined) throw new UsageError(`${name} needs ${missing}=<value>`)
  const body = await readBody(args)
  const query = Object.fromEntries(pairs.filter(pair => !isInPath(pair)))
  const parts: object = { path: filled, query, ...(body === undefined ? {} : { body }) }
  return parts as CallInput<OperationId>
}

async function readBody(args: ParsedArguments): Promise<unknown> {
  const file = getOption(args, 'upload')
  const text = getOption(args, 'body')
  if (file !== undefined) {
    const form = new FormData()
    form.append('file', new Blob([await readFile(file)]), path.basename(file))
    return form
  }
  if (text === undefined) return undefined
  const json =
    text === '-' ? await readStandardInput() : text.startsWith('@') ? await readFile(text.slice(1), 'utf8') : text
  let body: unknown
  try {
    body = JSON.parse(json)
  } catch (error) {
    throw new UsageError(`--body is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  refuseDoubled(json, body, '--body')
  return body
}

async function readStandardInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
  return text
}

async function printResult(args: ParsedArguments, data: unknown, meta: unknown): Promise<void> {
  if (data instanceof ReadableStream) return pipeline(Readable.from(data), process.stdout, { end: false })
  const columns = getColumns(args) ?? Object.keys((Array.isArray(data) ? data[0] : data) ?? {})
  if (hasFlag(args, 'meta')) await print(`${JSON.stringify({ data, meta }, null, 2)}\n`)
  else if (Array.isArray(data)) await printRows(args, data as object[], columns)
  else await printOne(args, (data ?? {}) as object, columns)
}
