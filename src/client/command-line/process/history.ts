import type { Command } from '../command/command.ts'
import { hasFlag, wholeNumberOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { changesText } from '../event/event-text.ts'
import { printProcess } from '../field/print-process.ts'
import { ONE_OPTIONS, printRows, ROW_OPTIONS, rowFormat } from '../output/print-rows.ts'
import { addressOf } from './address.ts'
import { PROCEDURE, PROCESS } from './arguments.ts'

const LIMIT = 20
const COLUMNS = ['version', 'at', 'type', 'by.user', 'changes']

export const historyCommand: Command = {
  name: 'history',
  group: 'Processes',
  summary: 'Show the changes of a process, newest first',
  arguments: [PROCEDURE, PROCESS],
  options: { limit: { value: 'n', summary: `the maximum number (default ${LIMIT})` }, ...ROW_OPTIONS },
  examples: ['history lead LEAD-7 --columns version,at,changes'],
  run: {
    async remote({ client, signal }, given) {
      const [procedure = '', name = ''] = given.words
      const definition = await client.procedures.get(procedure, { signal })
      const paging = { limit: wholeNumberOption(given, 'limit') ?? LIMIT }
      const entries = client.processes(procedure).history(addressOf(definition, name), paging, { signal })
      const isJson = rowFormat(given).endsWith('json')
      async function* rows() {
        for await (const entry of entries) yield isJson ? entry : { ...entry, changes: changesText(entry.changes) }
      }
      await printRows(given, rows(), COLUMNS, column => column === 'at')
      return undefined
    },
  },
}

export const revertCommand: Command = {
  name: 'revert',
  group: 'Processes',
  summary: 'Give a process the values that it had at a version',
  arguments: [PROCEDURE, PROCESS, { name: 'version', summary: 'a version that history shows' }],
  options: { force: { summary: 'also against the allowed moves, as process:override permits' }, ...ONE_OPTIONS },
  examples: ['revert lead LEAD-7 3'],
  run: {
    async remote({ client, signal }, given) {
      const [procedure = '', name = '', version = ''] = given.words
      if (!/^[1-9]\d{0,14}$/.test(version)) throw new UsageError(`revert takes the number of a version, not ${version}`)
      const definition = await client.procedures.get(procedure, { signal })
      const reverted = await client
        .processes(procedure)
        .revert(addressOf(definition, name), Number(version), { signal, force: hasFlag(given, 'force') })
      await printProcess(given, definition, reverted)
      return undefined
    },
  },
}
