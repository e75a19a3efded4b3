import { FIELDS } from '../../import-file/items.ts'
import type { Procedure } from '../client.ts'
import { type Command, type ExitCode, type ParsedArguments, type Session, UsageError } from './command/command.ts'
import { getJson, getOption, hasFlag } from './command/options.ts'
import { applyAfterAsking, watchPlan } from './job-plan.ts'
import { ONE_OPTIONS } from './output/rows.ts'
import { confirm, print, printError } from './output/terminal.ts'
import {
  CONFIRMATION_OPTIONS,
  FIELDS_ARGUMENT,
  getConfirmations,
  getWhere,
  PROCEDURE,
  PROCESS,
  parseChanges,
  printProcess,
  toAddress,
  WHERE_OPTION,
  WRITE_OPTIONS,
  YES_OPTION,
} from './process-options.ts'
import { countMatches, formatProcessCount } from './processes.ts'
import { quoteSent } from './quote-sent.ts'
import { followJob } from './watch.ts'

/** `upsert` is `create` for a primary key that may exist. */
const defineWriteCommand = (name: 'create' | 'upsert', summary: string, examples: string[]): Command => ({
  name,
  group: 'Processes',
  summary,
  arguments: [PROCEDURE, FIELDS_ARGUMENT],
  options: WRITE_OPTIONS,
  examples,
  run: {
    async remote({ client, signal }, args) {
      const [procedure = '', ...settings] = args.words
      const definition = await client.procedures.get(procedure, { signal })
      const body = parseChanges(args, definition, settings, 'create')
      const options = { signal, idempotencyKey: getOption(args, 'idempotency-key') }
      const processes = client.processes(procedure)
      const made = name === 'create' ? processes.create(body, options) : processes.createOrUpdate(body, options)
      const found = await made.catch((error: unknown) => {
        throw quoteSent(error, body)
      })
      await printProcess(args, definition, found)
      return undefined
    },
  },
})

export const createCommand = defineWriteCommand('create', 'Create a process', [
  'create lead lead_id=LEAD-8 city=Lima score=70 record.phone_number=5491123450008',
])

export const upsertCommand = defineWriteCommand('upsert', 'Create a process, or update the one with this primary key', [
  'upsert lead lead_id=LEAD-8 score=75',
])

export const updateCommand: Command = {
  name: 'update',
  group: 'Processes',
  summary: 'Change one process, or with --where all that match',
  details:
    'With --where, the command shows how many processes match and asks; with --plan, it shows what would change of each of the first ones, and of how many. The job that changes them is then followed to its end.',
  arguments: [PROCEDURE, { ...PROCESS, optional: true }, FIELDS_ARGUMENT],
  options: {
    ...WHERE_OPTION,
    plan: { summary: 'with --where: show what would change, before and after, and ask' },
    ...CONFIRMATION_OPTIONS,
    ...YES_OPTION,
    detach: { summary: 'with --where: print the id of the job and do not wait' },
    'if-match': { value: 'tag', summary: 'only if the process still has this entity tag' },
    ...WRITE_OPTIONS,
  },
  examples: [
    'update lead LEAD-7 score=95 state=IN_PROGRESS nextActionAt=2026-12-01T10:00:00Z',
    `update lead --where '{"city": "Pune"}' assignedTo=meera --plan`,
    `update lead --where '{"state": "LOST"}' isDeleted=true`,
  ],
  run: {
    remote: (session, args) =>
      getJson(args, 'where') === undefined ? updateOne(session, args) : updateWhere(session, args),
  },
}

async function updateOne({ client, signal }: Session, args: ParsedArguments): Promise<ExitCode | undefined> {
  const [procedure = '', name, ...settings] = args.words
  if (name === undefined) throw new UsageError('update takes a process, or --where')
  if (hasFlag(args, 'plan')) throw new UsageError('--plan goes with --where')
  const definition = await client.procedures.get(procedure, { signal })
  if (isSetting(definition, name)) throw new UsageError('update takes a process, or --where')
  const changes = parseChanges(args, definition, settings, 'update')
  const options = {
    ifMatch: getOption(args, 'if-match'),
    idempotencyKey: getOption(args, 'idempotency-key'),
    signal,
  }
  const address = toAddress(definition, name)
  const changed = await client
    .processes(procedure)
    .update(address, changes, options)
    .catch((error: unknown) => {
      throw quoteSent(error, changes)
    })
  await printProcess(args, definition, changed)
  return undefined
}

/** A primary key may have an equals sign: only what begins with a field is a setting. */
const isSetting = ({ attributes }: Procedure, word: string): boolean =>
  word.includes('=') &&
  [...FIELDS, 'isDeleted', ...attributes.map(({ shortId }) => shortId)].some(name => word.startsWith(`${name}=`))

/** `isDeleted=true`, where no attribute is called so. */
function findDeletion({ attributes }: Pick<Procedure, 'attributes'>, settings: readonly string[]) {
  const setting = settings.find(each => each.startsWith('isDeleted='))
  if (setting === undefined || attributes.some(({ shortId }) => shortId === 'isDeleted')) return undefined
  if (setting === 'isDeleted=false')
    throw new UsageError('a query finds no deleted process: trash lists them, bulk --update restores those of a file')
  if (setting !== 'isDeleted=true') throw new UsageError('isDeleted is true or false')
  if (settings.length > 1) throw new UsageError('isDeleted=true deletes the processes, and takes no other change')
  return { isDeleted: true as const }
}

/** Updates or deletes all processes that match, after their number was shown and confirmed. */
async function updateWhere(session: Session, args: ParsedArguments): Promise<ExitCode | undefined> {
  const { client, signal } = session
  const [procedure = '', ...settings] = args.words
  const where = getWhere(args) ?? {}
  if (getOption(args, 'if-match') !== undefined) throw new UsageError('--if-match is for one process')
  if (Object.keys(where).length === 0 && !hasFlag(args, 'all'))
    throw new UsageError("--where '{}' matches every process: say so with --all")
  const definition = await client.procedures.get(procedure, { signal })
  const deletion = findDeletion(definition, settings)
  const update = deletion ?? parseChanges(args, definition, settings, 'update')
  const confirmations = getConfirmations(args)
  const key = getOption(args, 'idempotency-key')
  const processes = client.processes(procedure)
  if (hasFlag(args, 'plan')) {
    const options = { ...confirmations, signal, dryRun: true, idempotencyKey: key && `${key}-plan` }
    const { id } = await processes.bulkUpdateWhere(where, update, options)
    return applyAfterAsking(session, args, await watchPlan(session, id))
  }
  const count = await countMatches(session, procedure, where)
  if (count === 0) {
    printError(`no process of ${procedure} matches: nothing was changed\n`)
    return undefined
  }
  await confirm(
    `${formatProcessCount(count, procedure)} will be ${deletion ? 'deleted' : 'updated'}. Continue?`,
    hasFlag(args, 'yes'),
    signal,
  )
  const { id } = await processes.bulkUpdateWhere(where, update, { ...confirmations, signal, idempotencyKey: key })
  return followJob(session, args, id)
}

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
    async remote({ client, signal }, args) {
      const [procedure = '', name = ''] = args.words
      if (hasFlag(args, 'purge')) {
        await confirm(`${name} will be gone for good. Continue?`, hasFlag(args, 'yes'), signal)
        const ifMatch = getOption(args, 'if-match')
        const { id, isComplete } = await client.processes(procedure).purge(name, { ifMatch, signal })
        await print(`${id} is purged${isComplete ? '' : '; jobs and deliveries that name it follow'}\n`)
        return undefined
      }
      const definition = await client.procedures.get(procedure, { signal })
      const options = { ifMatch: getOption(args, 'if-match'), signal }
      const deleted = await client.processes(procedure).delete(toAddress(definition, name), options)
      await printProcess(args, definition, deleted)
      return undefined
    },
  },
}

export const restoreCommand: Command = {
  name: 'restore',
  group: 'Processes',
  summary: 'Restore a deleted process, by its id',
  arguments: [PROCEDURE, { name: 'id', summary: 'the id that delete has printed' }],
  options: ONE_OPTIONS,
  examples: ['restore lead 01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f'],
  run: {
    async remote({ client, signal }, args) {
      const [procedure = '', id = ''] = args.words
      const definition = await client.procedures.get(procedure, { signal })
      await printProcess(args, definition, await client.processes(procedure).restore(id, { signal }))
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
    async remote({ client, signal }, args) {
      const [procedure = '', name = '', version = ''] = args.words
      if (!/^[1-9]\d{0,14}$/.test(version)) throw new UsageError(`revert takes the number of a version, not ${version}`)
      const definition = await client.procedures.get(procedure, { signal })
      const reverted = await client
        .processes(procedure)
        .revert(toAddress(definition, name), Number(version), { signal, force: hasFlag(args, 'force') })
      await printProcess(args, definition, reverted)
      return undefined
    },
  },
}
