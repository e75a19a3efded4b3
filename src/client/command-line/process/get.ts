import type { Command } from '../command/command.ts'
import { printProcess } from '../field/print-process.ts'
import { ONE_OPTIONS } from '../output/print-rows.ts'
import { addressOf } from './address.ts'
import { PROCEDURE, PROCESS } from './arguments.ts'

export const getCommand: Command = {
  name: 'get',
  group: 'Processes',
  summary: 'Show one process',
  arguments: [PROCEDURE, PROCESS],
  options: ONE_OPTIONS,
  examples: ['get lead LEAD-7', 'get lead LEAD-7 --format table'],
  run: {
    async remote({ client, signal }, given) {
      const [procedure = '', name = ''] = given.words
      const definition = await client.procedures.get(procedure, { signal })
      const found = await client.processes(procedure).get(addressOf(definition, name), { signal })
      await printProcess(given, definition, found)
      return undefined
    },
  },
}
