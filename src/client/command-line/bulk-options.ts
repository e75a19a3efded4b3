import { FILE_ENCODINGS, type FileEncoding } from '../../import-file/encoding.ts'
import { DATE_FORMS, DECIMAL_FORMS } from '../../import-file/forms.ts'
import { FILE_FORMATS, type FileFormOptions } from './bulk-file.ts'
import type { CellForms } from './bulk-rows.ts'
import { type Options, type ParsedArguments, UsageError } from './command/command.ts'
import { getChoice, getOption } from './command/options.ts'

const getNames = <Name extends string>(names: Readonly<Record<Name, unknown>>) => Object.keys(names) as Name[]

/** What programs call Latin-1 is Windows-1252 nearly always, and the same where it is not. */
const ENCODINGS: Readonly<Record<string, FileEncoding>> = {
  ...Object.fromEntries(FILE_ENCODINGS.map(name => [name, name])),
  latin1: 'windows-1252',
  'iso-8859-1': 'windows-1252',
}
const ENCODING_NAMES = Object.keys(ENCODINGS)

/** The options that overrule what was detected in a file. */
export const FORM_OPTIONS = {
  delimiter: { value: 'char', summary: 'what is between the cells of a CSV file: one character, or tab' },
  encoding: { value: 'name', summary: 'how the file is written', choices: ENCODING_NAMES },
  dates: {
    value: 'order',
    summary: 'how days are written: 2026-12-31, 31.12.2026 or 12/31/2026',
    choices: getNames(DATE_FORMS),
  },
  decimal: {
    value: 'mark',
    summary: 'what begins the decimals of a number: 1,234.5, 1.234,5 or 1234.5 alone',
    choices: getNames(DECIMAL_FORMS),
  },
  sheet: { value: 'name', summary: 'which sheet of a workbook (default: the first that is not hidden)' },
} as const satisfies Options

/** A workbook has these by itself. */
const TEXT_OPTIONS = ['delimiter', 'encoding', 'decimal']

export function getFileForm(args: ParsedArguments): FileFormOptions {
  const delimiter = getOption(args, 'delimiter')
  if (delimiter !== undefined && delimiter !== 'tab' && !/^[^"\r\n]$/.test(delimiter))
    throw new UsageError(`--delimiter takes one character, or tab, not ${delimiter}`)
  return {
    format: getChoice(args, 'format', FILE_FORMATS),
    encoding: ENCODINGS[getOption(args, 'encoding') ?? ''],
    separator: delimiter === 'tab' ? '\t' : delimiter,
    sheet: getOption(args, 'sheet'),
    stated: TEXT_OPTIONS.find(option => getOption(args, option) !== undefined),
  }
}

export const getCellForms = (args: ParsedArguments): CellForms => ({
  dates: getChoice(args, 'dates', getNames(DATE_FORMS)),
  decimal: getChoice(args, 'decimal', getNames(DECIMAL_FORMS)),
})
