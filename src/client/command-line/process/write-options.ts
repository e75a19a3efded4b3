import type { Procedure } from '../../client.ts'
import type { Given, Options } from '../command/command.ts'
import { jsonOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { type Changes, changesIn, undeclaredAttributes } from '../field/fields.ts'
import { ONE_OPTIONS } from '../output/print-rows.ts'
import { printError } from '../output/terminal.ts'
import { DATA_OPTION, KEY_OPTION } from './arguments.ts'

/** The options of commands that create or change one process. */
export const WRITE_OPTIONS = { ...DATA_OPTION, ...KEY_OPTION, ...ONE_OPTIONS } as const satisfies Options

/** The changes of a command line. A name that nobody declared is warned of. */
export function givenChanges(
  given: Given,
  definition: Procedure,
  settings: readonly string[],
  mode: 'create' | 'update',
): Changes {
  const changes = changesIn(definition, settings, jsonOption(given, 'data'))
  if (mode === 'update' && Object.keys(changes).length === 0)
    throw new UsageError('update takes <field>=<value>, or --data')
  for (const sentence of undeclaredAttributes(definition, Object.keys(changes.data ?? {}), mode))
    printError(`warning: ${sentence}; it is sent as it is\n`)
  return changes
}
