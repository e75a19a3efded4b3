import type { Procedure } from '../../client.ts'
import type { Given } from '../command/command.ts'
import { formatOption, printOne } from '../output/print-rows.ts'
import { fileColumnsOf, tableColumnsOf, timesOf } from './process-columns.ts'

export const usualColumns = (given: Given, definition: Procedure): string[] =>
  formatOption(given) === 'csv' ? fileColumnsOf(definition) : tableColumnsOf(definition)

export const printProcess = (given: Given, definition: Procedure, found: object): Promise<void> =>
  printOne(given, found, usualColumns(given, definition), timesOf(definition))
