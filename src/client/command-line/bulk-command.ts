import { createReadStream } from 'node:fs'
import type { Job, Procedure } from '../client.ts'
import { choiceOption, type ParsedArguments, textOption, UsageError } from './arguments.ts'
import { headerFault, itemOf, undeclaredAttributes } from './columns.ts'
import { CsvError, rowsOf } from './csv.ts'
import { watchToEnd } from './job-commands.ts'
import { print, printError, type Session } from './terminal.ts'

type Mode = 'create' | 'update'
type Item = Record<string, unknown>

/** Whether all entries of the jobs that were waited for succeeded. */
export async function bulk(session: Session, parsed: ParsedArguments): Promise<boolean> {
  const { client, signal } = session
  const [procedure = '', file = ''] = parsed.names
  if (parsed.options.create && parsed.options.update) throw new UsageError('--create and --update exclude each other')
  const mode: Mode = parsed.options.create ? 'create' : 'update'
  const format = choiceOption(parsed, 'format', ['csv', 'ndjson']) ?? formatOf(file)
  const definition = await client.procedures.get(procedure, { signal })
  const warnings = new Set<string>()
  const warn = (header: string[]) => {
    for (const sentence of undeclaredAttributes(definition, header, mode)) {
      // A file is read twice.
      if (!warnings.has(sentence)) printError(`warning: column ${sentence}; it is sent as it is\n`)
      warnings.add(sentence)
    }
  }
  const items = () => (format === 'csv' ? fromCsv(definition, textOf(file), mode, warn) : fromNdjson(textOf(file)))
  // The whole file is validated before the first row is sent. Standard input can be read only once, so it is not.
  if (file !== '-') for await (const _ of items());
  const options = { signal, idempotencyKey: textOption(parsed, 'idempotency-key') }
  const processes = client.processes(procedure)
  const jobs =
    mode === 'create' ? processes.bulkCreateInJobs(items(), options) : processes.bulkUpdateInJobs(items(), options)
  let [sent, allSucceeded] = [0, true]
  for await (const job of jobs) {
    sent += 1
    await print(`${job.id}\n`)
    if (parsed.options.detach) continue
    const done: Job = await watchToEnd(session, job.id)
    allSucceeded &&= done.completionStatus === 'SUCCESS'
  }
  if (sent === 0) throw new UsageError(`there are no rows in ${file}`)
  if (parsed.options.detach) printError('to follow a job: caseworker watch <job>\n')
  return allSucceeded
}

function formatOf(file: string): 'csv' | 'ndjson' {
  if (/\.csv$/i.test(file)) return 'csv'
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson'
  throw new UsageError(`${file} is neither .csv nor .ndjson: use --format csv or --format ndjson`)
}

/** The text of the file in chunks. */
async function* textOf(file: string): AsyncGenerator<string, void, undefined> {
  const source = file === '-' ? process.stdin : createReadStream(file)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of source) yield decoder.decode(chunk as Buffer, { stream: true })
    yield decoder.decode()
  } catch (error) {
    const reason =
      error instanceof TypeError ? 'it is not text in UTF-8' : String(error instanceof Error ? error.message : error)
    throw new UsageError(`${file} cannot be read: ${reason}`)
  }
}

async function* fromCsv(
  procedure: Procedure,
  texts: AsyncIterable<string>,
  mode: Mode,
  onHeader: (header: string[]) => void,
): AsyncGenerator<Item, void, undefined> {
  let header: string[] | undefined
  try {
    for await (const { line, cells } of rowsOf(texts)) {
      if (header === undefined) {
        header = cells.map(cell => cell.trim())
        const fault = headerFault(procedure, header, mode)
        if (fault !== undefined) throw new UsageError(`the header: ${fault}`)
        onHeader(header)
      } else if (cells.length !== header.length)
        throw new UsageError(`line ${line} has ${cells.length} cells, and the header ${header.length}`)
      else yield itemOf(procedure, header, cells, mode)
    }
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(error.message) : error
  }
}

/** Each line is an item of the bulk request. */
async function* fromNdjson(texts: AsyncIterable<string>): AsyncGenerator<Item, void, undefined> {
  let [rest, number] = ['', 0]
  const itemIn = (line: string): Item | undefined => {
    number += 1
    if (line.trim() === '') return undefined
    try {
      return JSON.parse(line) as Item
    } catch (error) {
      throw new UsageError(`line ${number} is not JSON: ${error instanceof Error ? error.message : error}`)
    }
  }
  for await (const text of texts) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const item = itemIn(line)
      if (item !== undefined) yield item
    }
  }
  const last = itemIn(rest)
  if (last !== undefined) yield last
}
