import path from 'node:path'
import { type Command, type ParsedArguments, UsageError } from './command/command.ts'
import { getChoice, getOption } from './command/options.ts'
import { getColumns, writeRows } from './output/rows.ts'
import { formatCount, openOutput, printError } from './output/terminal.ts'
import {
  checkColumns,
  getFileColumns,
  getSelection,
  getTimeCheck,
  PROCEDURE,
  SELECT_OPTIONS,
  toFields,
} from './process-options.ts'

const FORMATS = ['csv', 'excel', 'ndjson', 'json'] as const

export const exportCommand: Command = {
  name: 'export',
  group: 'Files',
  summary: 'Write all processes that match to a file or standard output',
  details:
    'A CSV file has the declared attributes, with times in ISO 8601 and lists as a;b, so that bulk takes it back. excel is CSV that Excel opens: with a byte order mark, and an apostrophe before text that it would run as a formula. Lines of JSON have everything, the customer included.',
  arguments: [PROCEDURE],
  options: {
    ...SELECT_OPTIONS,
    format: { value: 'format', summary: 'the ending of the file, otherwise csv', choices: FORMATS },
    columns: { value: 'names', summary: 'the columns: names, separated by commas' },
    delimiter: { value: 'character', summary: 'between the columns of CSV: ";" or tab, for example (default ",")' },
    output: { value: 'file', summary: 'write to a file', short: 'o', completed: 'file' },
  },
  examples: [
    `export lead --where '{"status": "OPEN"}' -o open-leads.csv`,
    'export lead --columns lead_id,city,record.phone_number',
  ],
  run: {
    async remote({ client, signal }, args) {
      const [procedure = ''] = args.words
      const format = parseFormat(args)
      const definition = await client.procedures.get(procedure, { signal })
      const columns = getColumns(args)
      checkColumns(args, definition)
      const isTable = format === 'csv' || format === 'excel'
      const delimiter = getDelimiter(args, isTable)
      // Lines of JSON have everything, unless columns were chosen.
      const shown = columns ?? (isTable ? getFileColumns(definition) : undefined)
      const fields = shown && toFields(definition, shown)
      const found = client.processes(procedure).export({ ...getSelection(args), fields }, { signal })
      const output = await openOutput(getOption(args, 'output'))
      let count = 0
      async function* counted() {
        for await (const each of found) {
          count += 1
          yield each
        }
      }
      await writeRows(counted(), {
        format: format === 'excel' ? 'csv' : format,
        isForExcel: format === 'excel',
        ...(delimiter === undefined ? {} : { delimiter }),
        columns: columns ?? getFileColumns(definition),
        isChosen: columns !== undefined,
        isTime: getTimeCheck(definition),
        write: output.write,
      })
      await output.close()
      printError(`${formatCount(count, 'process', 'processes')}\n`)
      return undefined
    },
  },
}

function parseFormat(args: ParsedArguments): (typeof FORMATS)[number] {
  const ending = path
    .extname(getOption(args, 'output') ?? '')
    .slice(1)
    .toLowerCase()
  const chosen = getChoice(args, 'format', FORMATS) ?? (ending === '' ? 'csv' : ending === 'jsonl' ? 'ndjson' : ending)
  const format = FORMATS.find(each => each === chosen)
  if (format === undefined) throw new UsageError(`.${ending} is no known ending: use --format ${FORMATS.join(', ')}`)
  return format
}

function getDelimiter(args: ParsedArguments, isTable: boolean): string | undefined {
  const sent = getOption(args, 'delimiter')
  if (sent === undefined) return undefined
  if (!isTable) throw new UsageError('--delimiter goes with --format csv or excel')
  const delimiter = sent === 'tab' || sent === '\\t' ? '\t' : sent
  if (delimiter.length !== 1 || /["\r\n\w]/.test(delimiter))
    throw new UsageError(`--delimiter takes one character that is no letter, digit or quote, or tab; not ${sent}`)
  return delimiter
}
