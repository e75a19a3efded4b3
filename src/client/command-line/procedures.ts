import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { CaseworkerError, type Procedure } from '../client.ts'
import type { PutProcedureBody } from '../generated/bodies.ts'
import { type Command, EXIT, type ExitCode, type ParsedArguments, type Session, UsageError } from './command/command.ts'
import { getOption, hasFlag, parseJsonFile } from './command/options.ts'
import {
  type DefinitionPlan,
  formatPlan,
  formatSummary,
  toDefinition,
  toInvalidPlan,
  toPlan,
} from './definition-plan.ts'
import { hasRowOptions, printOne, printRows, ROW_OPTIONS } from './output/rows.ts'
import { confirm, print, printError } from './output/terminal.ts'
import { PROCEDURE, YES_OPTION } from './process-options.ts'

const PROCEDURE_COLUMNS = ['shortId', 'name', 'primaryKey', 'strict', 'startState', 'completedState', 'updatedAt']
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
    async remote(session, args) {
      const [word, place] = args.words
      if (word === 'pull' || word === 'push') return pullOrPush(session, args, word, place)
      if (place !== undefined) throw new UsageError('procedures takes a second argument only with pull and push')
      const file = getOption(args, 'put')
      if (file !== undefined) return putFrom(session, args, file)
      const { client, signal } = session
      if (word !== undefined) await printOne(args, await client.procedures.get(word, { signal }), PROCEDURE_COLUMNS)
      else await printRows(args, await client.procedures.list({ signal }), PROCEDURE_COLUMNS)
      return undefined
    },
  },
}

async function pullOrPush(
  session: Session,
  args: ParsedArguments,
  action: 'pull' | 'push',
  place: string | undefined,
): Promise<ExitCode | undefined> {
  if (place === undefined) throw new UsageError(`procedures ${action} needs the folder of the files`)
  const other = ['put', 'if-match'].find(name => getOption(args, name) !== undefined)
  if (other !== undefined) throw new UsageError(`--${other} is for one procedure, not for ${action}`)
  if (action === 'push') return pushDefinitions(session, args, await readDefinitions(place))
  const procedures = await session.client.procedures.list({ signal: session.signal })
  const files = await writeDefinitions(place, procedures)
  const rows = procedures.map(({ shortId }, at) => ({ procedure: shortId, file: files[at] }))
  await printRows(args, rows, ['procedure', 'file'])
  return undefined
}

async function putFrom(
  { client, signal }: Session,
  args: ParsedArguments,
  file: string,
): Promise<ExitCode | undefined> {
  const [shortId] = args.words
  if (shortId === undefined) throw new UsageError('--put needs the short id of the procedure')
  const definition = await readDefinition(file)
  const options = { ifMatch: getOption(args, 'if-match'), signal }
  if (!hasFlag(args, 'dry-run')) {
    await printOne(args, await client.procedures.put(shortId, definition, options), PROCEDURE_COLUMNS)
    return undefined
  }
  const outlook = await client.procedures.dryRun(shortId, definition, options)
  if (hasRowOptions(args)) await printOne(args, outlook, DRY_RUN_COLUMNS)
  else await print(formatPlan(toPlan(shortId, outlook)))
  return outlook.isAllowed ? undefined : EXIT.refused
}

const PLAN_COLUMNS = ['procedure', 'outcome', 'changes', 'refusals', 'indexes', 'search', 'values']

interface PlannedFile extends DefinitionFile {
  plan: DefinitionPlan
  /** The entity tag of the definition that the plan was compared with. */
  etag: string
}

/** Shows what the definitions would change, asks, and puts those that differ. If one is refused, none is put. */
async function pushDefinitions(
  session: Session,
  args: ParsedArguments,
  files: readonly DefinitionFile[],
): Promise<ExitCode | undefined> {
  const planned: PlannedFile[] = []
  for (const each of files) planned.push(await planFile(session, each))
  const plans = planned.map(({ plan }) => plan)
  await printPlans(args, plans)
  const [isRefused, isDryRun] = [plans.some(({ outcome }) => outcome === 'refused'), hasFlag(args, 'dry-run')]
  const different = planned.filter(({ plan }) => plan.outcome === 'new' || plan.outcome === 'changed')
  const isNothingDone = isRefused || isDryRun || different.length === 0
  printError(`${formatSummary(plans)}${isNothingDone ? ': nothing was changed' : ''}\n`)
  if (isRefused) return EXIT.refused
  if (isNothingDone) return undefined
  const names = different.map(({ procedure }) => procedure).join(', ')
  await confirm(`The definitions of ${names} will be put. Continue?`, hasFlag(args, 'yes'), session.signal)
  return putAll(session, different)
}

/** Prints plans for people, or as rows where a format or columns are chosen. */
async function printPlans(args: ParsedArguments, plans: readonly DefinitionPlan[]): Promise<void> {
  if (hasRowOptions(args)) return printRows(args, plans, PLAN_COLUMNS)
  await print(plans.map(formatPlan).join(''))
}

async function planFile({ client, signal }: Session, file: DefinitionFile): Promise<PlannedFile> {
  const { procedure, definition } = file
  try {
    const outlook = await client.procedures.dryRun(procedure, definition, { signal })
    return { ...file, plan: toPlan(procedure, outlook), etag: outlook.etag }
  } catch (error) {
    if (!(error instanceof CaseworkerError && error.is('invalid_request'))) throw error
    return { ...file, plan: toInvalidPlan(procedure, error), etag: '' }
  }
}

/**
 * Puts the files one after the other, and replaces only the definition that each plan was made from. Files before a
 * failed one stay put: the next plan shows the rest.
 */
async function putAll({ client, signal }: Session, planned: readonly PlannedFile[]): Promise<undefined> {
  for (const [at, { procedure, definition, etag }] of planned.entries()) {
    try {
      await client.procedures.put(procedure, definition, { ifMatch: etag, signal })
    } catch (error) {
      const rest = planned.slice(at + 1).map(each => each.procedure)
      const untried = rest.length === 0 ? '' : `; not tried: ${rest.join(', ')}`
      printError(`stopped at ${procedure}${untried}. Push again for a plan of what is left\n`)
      throw error
    }
    printError(`${procedure} is put\n`)
  }
  return undefined
}

/** A definition in a file, and the procedure that the file is called after. */
interface DefinitionFile {
  procedure: string
  file: string
  definition: PutProcedureBody
}

const ENDING = '.json'

/** The API checks the definition. */
const readDefinition = async (file: string): Promise<PutProcedureBody> =>
  parseJsonFile(await readFile(file, 'utf8'), file) as object as PutProcedureBody

/** Writes each procedure as `<shortId>.json`, and returns the names of the files. Short ids are fit for names of files. */
async function writeDefinitions(folder: string, procedures: readonly Procedure[]): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const files: string[] = []
  for (const procedure of procedures) {
    const file = path.join(folder, procedure.shortId + ENDING)
    await writeFile(file, `${JSON.stringify(toDefinition(procedure), null, 2)}\n`)
    files.push(file)
  }
  return files
}

/** The definitions in a file, or in all files of a folder, in the order of their names. */
async function readDefinitions(place: string): Promise<DefinitionFile[]> {
  const isFolder = (await stat(place)).isDirectory()
  const names = isFolder ? (await readdir(place)).filter(name => name.endsWith(ENDING)).sort() : [path.basename(place)]
  if (names.length === 0) throw new UsageError(`there is no ${ENDING} file in ${place}`)
  const folder = isFolder ? place : path.dirname(place)
  return Promise.all(
    names.map(async name => {
      const procedure = path.basename(name, ENDING)
      const file = path.join(folder, name)
      if (procedure === name) throw new UsageError(`${file} must be called after its procedure: <shortId>${ENDING}`)
      return { procedure, file, definition: await readDefinition(file) }
    }),
  )
}
