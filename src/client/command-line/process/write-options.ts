import type { Procedure } from '../../client.ts'
import { type Changes, findJsonFault, setField } from '../../import-file/items.ts'
import type { Given, Options } from '../command/command.ts'
import { jsonOption, pairIn } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { ONE_OPTIONS } from '../output/print-rows.ts'
import { DATA_OPTION, KEY_OPTION } from './arguments.ts'

/** The options of commands that create or change one process. */
export const WRITE_OPTIONS = { ...DATA_OPTION, ...KEY_OPTION, ...ONE_OPTIONS } as const satisfies Options

/** The changes of a command line. The API warns of names that are not declared. */
export function givenChanges(
  given: Given,
  definition: Procedure,
  settings: readonly string[],
  mode: 'create' | 'update',
): Changes {
  const changes = changesIn(definition, settings, jsonOption(given, 'data'))
  if (mode === 'update' && Object.keys(changes).length === 0)
    throw new UsageError('update takes <field>=<value>, or --data')
  return changes
}

/** The changes that `<field>=<value>` and `--data` make. */
function changesIn(
  definition: Procedure,
  settings: readonly string[],
  data: Record<string, unknown> | undefined,
): Changes {
  const changes: Changes = data === undefined ? {} : { data: { ...data } }
  for (const setting of settings) {
    const [name, text] = pairIn(setting)
    const fault = findJsonFault(definition, name, text)
    if (fault !== undefined) throw new UsageError(fault)
    setField(changes, definition, name, text)
  }
  return changes
}
