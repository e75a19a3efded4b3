import type { Command, Given, Session } from '../command/command.ts'
import { EXIT, type ExitCode } from '../command/exit-code.ts'
import { hasFlag, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { hasRowOptions, printOne, printRows, ROW_OPTIONS } from '../output/print-rows.ts'
import { print } from '../output/terminal.ts'
import { PROCEDURE, YES_OPTION } from '../process/arguments.ts'
import { readDefinition, readDefinitions, writeDefinitions } from './definition-files.ts'
import { planOf, planText } from './definition-plan.ts'
import { pushDefinitions } from './push.ts'

const COLUMNS = ['shortId', 'name', 'primaryKey', 'strict', 'startState', 'completedState', 'updatedAt']
const DRY_RUN_COLUMNS = ['isNew', 'isAllowed', 'changes', 'refusals', 'processes', 'indexes', 'search', 'values']

export const proceduresCommand: Command = {
  name: 'procedures',
  group: 'Team',
  summary: 'List procedures, show one, put one with --put, or pull and push all as files',
  details:
    'procedures pull <folder> writes the definition of each procedure as <shortId>.json. procedures push <folder or file> shows what such files would change, asks, and puts those that differ; if one would be refused, none is put, and it ends with 3.',
  arguments: [
    { ...PROCEDURE, summary: 'the short id of the procedure; or pull, or push', optional: true },
    { name: 'folder', summary: 'with pull and push: where the files are', optional: true, completed: 'file' },
  ],
  options: {
    put: { value: 'file', summary: 'the definition, a JSON file', completed: 'file' },
    'if-match': { value: 'tag', summary: 'with --put: only if the procedure still has this entity tag' },
    'dry-run': { summary: 'with --put and push: print what would change, and change nothing' },
    ...YES_OPTION,
    ...ROW_OPTIONS,
  },
  examples: [
    'procedures lead',
    'procedures visit --put visit.json --dry-run',
    'procedures pull procedures --profile staging',
    'procedures push procedures --profile production --dry-run',
  ],
  run: {
    async remote(session, given) {
      const [word, place] = given.words
      if (word === 'pull' || word === 'push') return pullOrPush(session, given, word, place)
      if (place !== undefined) throw new UsageError('procedures takes a second argument only with pull and push')
      const file = textOption(given, 'put')
      if (file !== undefined) return putFrom(session, given, file)
      const { client, signal } = session
      if (word !== undefined) await printOne(given, await client.procedures.get(word, { signal }), COLUMNS)
      else await printRows(given, await client.procedures.list({ signal }), COLUMNS)
      return undefined
    },
  },
}

async function pullOrPush(
  session: Session,
  given: Given,
  action: 'pull' | 'push',
  place: string | undefined,
): Promise<ExitCode | undefined> {
  if (place === undefined) throw new UsageError(`procedures ${action} needs the folder of the files`)
  const other = ['put', 'if-match'].find(name => textOption(given, name) !== undefined)
  if (other !== undefined) throw new UsageError(`--${other} is for one procedure, not for ${action}`)
  if (action === 'push') return pushDefinitions(session, given, await readDefinitions(place))
  const procedures = await session.client.procedures.list({ signal: session.signal })
  const files = await writeDefinitions(place, procedures)
  const rows = procedures.map(({ shortId }, at) => ({ procedure: shortId, file: files[at] }))
  await printRows(given, rows, ['procedure', 'file'])
  return undefined
}

async function putFrom({ client, signal }: Session, given: Given, file: string): Promise<ExitCode | undefined> {
  const [shortId] = given.words
  if (shortId === undefined) throw new UsageError('--put needs the short id of the procedure')
  const definition = await readDefinition(file)
  const options = { ifMatch: textOption(given, 'if-match'), signal }
  if (!hasFlag(given, 'dry-run')) {
    await printOne(given, await client.procedures.put(shortId, definition, options), COLUMNS)
    return undefined
  }
  const outlook = await client.procedures.dryRun(shortId, definition, options)
  if (hasRowOptions(given)) await printOne(given, outlook, DRY_RUN_COLUMNS)
  else await print(planText(planOf(shortId, outlook)))
  return outlook.isAllowed ? undefined : EXIT.refused
}
