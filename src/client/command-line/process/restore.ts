import type { Command } from '../command/command.ts'
import { printProcess } from '../field/print-process.ts'
import { ONE_OPTIONS } from '../output/print-rows.ts'
import { PROCEDURE } from './arguments.ts'

export const restoreCommand: Command = {
  name: 'restore',
  group: 'Processes',
  summary: 'Restore a deleted process, by its id',
  arguments: [PROCEDURE, { name: 'id', summary: 'the id that delete has printed' }],
  options: ONE_OPTIONS,
  examples: ['restore lead 01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f'],
  run: {
    async remote({ client, signal }, given) {
      const [procedure = '', id = ''] = given.words
      const definition = await client.procedures.get(procedure, { signal })
      await printProcess(given, definition, await client.processes(procedure).restore(id, { signal }))
      return undefined
    },
  },
}
