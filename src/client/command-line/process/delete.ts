import type { Command } from '../command/command.ts'
import { hasFlag, textOption } from '../command/options.ts'
import { confirm } from '../connection/ask.ts'
import { printProcess } from '../field/print-process.ts'
import { ONE_OPTIONS } from '../output/print-rows.ts'
import { print } from '../output/terminal.ts'
import { addressOf } from './address.ts'
import { PROCEDURE, PROCESS, YES_OPTION } from './arguments.ts'

export const deleteCommand: Command = {
  name: 'delete',
  group: 'Processes',
  summary: 'Delete a process; restore brings it back. With --purge it is gone for good',
  arguments: [PROCEDURE, PROCESS],
  options: {
    purge: { summary: 'for good, by its id, with all its values; it may be deleted already' },
    'if-match': { value: 'tag', summary: 'only if the process still has this entity tag' },
    ...YES_OPTION,
    ...ONE_OPTIONS,
  },
  examples: ['delete lead LEAD-8', 'delete lead 01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f --purge'],
  run: {
    async remote({ client, signal }, given) {
      const [procedure = '', name = ''] = given.words
      if (hasFlag(given, 'purge')) {
        await confirm(`${name} will be gone for good. Continue?`, hasFlag(given, 'yes'), signal)
        const ifMatch = textOption(given, 'if-match')
        const { id, isComplete } = await client.processes(procedure).purge(name, { ifMatch, signal })
        await print(`${id} is purged${isComplete ? '' : '; jobs and deliveries that name it follow'}\n`)
        return undefined
      }
      const definition = await client.procedures.get(procedure, { signal })
      const options = { ifMatch: textOption(given, 'if-match'), signal }
      const deleted = await client.processes(procedure).delete(addressOf(definition, name), options)
      await printProcess(given, definition, deleted)
      return undefined
    },
  },
}
