import type { Command } from '../command/command.ts'
import { textOption } from '../command/options.ts'
import { printProcess } from '../field/print-process.ts'
import { ONE_OPTIONS } from '../output/print-rows.ts'
import { addressOf } from './address.ts'
import { PROCEDURE, PROCESS } from './arguments.ts'

export const deleteCommand: Command = {
  name: 'delete',
  group: 'Processes',
  summary: 'Delete a process; restore brings it back',
  arguments: [PROCEDURE, PROCESS],
  options: { 'if-match': { value: 'tag', summary: 'only if the process still has this entity tag' }, ...ONE_OPTIONS },
  examples: ['delete lead LEAD-8'],
  run: {
    async remote({ client, signal }, given) {
      const [procedure = '', name = ''] = given.words
      const definition = await client.procedures.get(procedure, { signal })
      const options = { ifMatch: textOption(given, 'if-match'), signal }
      const deleted = await client.processes(procedure).delete(addressOf(definition, name), options)
      await printProcess(given, definition, deleted)
      return undefined
    },
  },
}
