import type { Procedure } from '../../client.ts'
import type { BulkUpdateProcessesBody } from '../../generated/bodies.ts'
import type { Given, Options, Session } from '../command/command.ts'
import type { ExitCode } from '../command/exit-code.ts'
import { hasFlag, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { confirm } from '../connection/ask.ts'
import { followJob } from '../job/follow-job.ts'
import { printError } from '../output/terminal.ts'
import { countSentence, countWhere } from './count.ts'
import { whereOption } from './list-query.ts'
import { givenChanges } from './write-options.ts'

/** What the API asks for where a query decides what is changed. */
export const WHERE_CONSENT_OPTIONS = {
  all: { summary: "with --where '{}': all processes of the procedure" },
  'allow-undeclared': { summary: 'with --where: the query may name attributes that are not declared' },
} as const satisfies Options

export const consentOf = (given: Given) => ({
  ...(hasFlag(given, 'all') ? { all: true as const } : {}),
  ...(hasFlag(given, 'allow-undeclared') ? { allowUndeclared: true as const } : {}),
})

/** `isDeleted=true`, where no attribute is called so. */
function deletionIn({ attributes }: Pick<Procedure, 'attributes'>, settings: readonly string[]) {
  const setting = settings.find(each => each.startsWith('isDeleted='))
  if (setting === undefined || attributes.some(({ shortId }) => shortId === 'isDeleted')) return undefined
  if (setting === 'isDeleted=false')
    throw new UsageError('a query finds no deleted process: trash lists them, bulk --update restores those of a file')
  if (setting !== 'isDeleted=true') throw new UsageError('isDeleted is true or false')
  if (settings.length > 1) throw new UsageError('isDeleted=true deletes the processes, and takes no other change')
  return { isDeleted: true as const }
}

/** Updates or deletes all processes that match, after their number was shown and confirmed. */
export async function updateWhere(session: Session, given: Given): Promise<ExitCode | undefined> {
  const { client, signal } = session
  const [procedure = '', ...settings] = given.words
  const where = whereOption(given) ?? {}
  if (textOption(given, 'if-match') !== undefined) throw new UsageError('--if-match is for one process')
  if (Object.keys(where).length === 0 && !hasFlag(given, 'all'))
    throw new UsageError("--where '{}' matches every process: say so with --all")
  const definition = await client.procedures.get(procedure, { signal })
  const deletion = deletionIn(definition, settings)
  const update = deletion ?? givenChanges(given, definition, settings, 'update')
  const count = await countWhere(session, procedure, where)
  if (count === 0) {
    printError(`no process of ${procedure} matches: nothing was changed\n`)
    return undefined
  }
  await confirm(
    `${countSentence(count, procedure)} will be ${deletion ? 'deleted' : 'updated'}. Continue?`,
    hasFlag(given, 'yes'),
    signal,
  )
  const body = { where, update, ...consentOf(given) } as BulkUpdateProcessesBody
  const { data } = await client.call(
    'bulkUpdateProcesses',
    { path: { procedureShortId: procedure }, body },
    { signal, idempotencyKey: textOption(given, 'idempotency-key') },
  )
  return followJob(session, given, data.id)
}
