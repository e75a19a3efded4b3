import type { BulkMembers } from '../../background-job/accept/body.ts'
import type { Confirmation } from '../../background-job/kind.ts'
import { type Fault, invalid } from '../../errors.ts'
import { type Warning, warnUndeclared } from '../../http/response/warnings.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { examineWhere } from '../query/matches.ts'

/** What a request says beside a query that decides what is changed, or who is written to. */
export const CONFIRMATION_MEMBERS = ['all', 'allowUndeclared'] as const

const WHERE = '/body/where'

interface BulkQuery {
  /** Names outside of the query that the procedure does not declare. */
  undeclared?: readonly Fault[]
  /** What else is wrong with the request: all faults are reported at once. */
  faults?: readonly Fault[]
}

/**
 * Refuses a query that may match more than was meant: one that matches everything, and one that names an attribute nobody
 * declared, unless the request says that it is meant. Returns the warnings about what it allowed.
 */
export async function requireConfirmation(
  scope: Scope,
  procedure: Procedure,
  body: BulkMembers,
  { undeclared = [], faults = [] }: BulkQuery = {},
): Promise<Warning[]> {
  const where = body.member('where')
  const read = await examineWhere(scope, procedure, where, WHERE)
  const names = [...read.undeclared, ...undeclared]
  const all: Fault[] = [...faults, ...CONFIRMATION_MEMBERS.flatMap(name => notBoolean(body, name)), ...read.faults]
  const confirmation = readConfirmation(body)
  if (confirmation.allowUndeclared && procedure.strict && names.length > 0)
    all.push({ message: NEVER_ALLOWED, path: '/body/allowUndeclared', hint: 'declare the attribute, or leave it out' })
  const isUnbounded = where !== undefined && read.isUnbounded
  all.push(...findUnmeantFaults(procedure, { undeclared: names, isUnbounded }, confirmation))
  if (all.length > 0) throw invalid(all)
  return warnUndeclared(names, WHERE)
}

export const readConfirmation = (body: BulkMembers): Confirmation => ({
  all: body.member('all') === true,
  allowUndeclared: body.member('allowUndeclared') === true,
})

/** The same for a query that was accepted before: by a definition that is another one now it may match more than then. */
export async function recheckConfirmation(
  scope: Scope,
  procedure: Procedure,
  { where, confirmation }: { where: unknown; confirmation: Confirmation },
): Promise<void> {
  const { faults, ...read } = await examineWhere(scope, procedure, where, WHERE)
  const all = [...faults, ...findUnmeantFaults(procedure, read, confirmation)]
  if (all.length > 0) throw invalid(all)
}

/** A strict procedure refuses names that are not declared by itself. */
function findUnmeantFaults(
  procedure: Procedure,
  { undeclared, isUnbounded }: { undeclared: readonly Fault[]; isUnbounded: boolean },
  { all, allowUndeclared }: Confirmation,
): Fault[] {
  const message = `the query matches every process of ${procedure.shortId}`
  return [
    ...(allowUndeclared || procedure.strict ? [] : undeclared.map(refusedName)),
    ...(isUnbounded && !all ? [{ message, path: WHERE, hint: MEANT_ALL }] : []),
  ]
}

const NEVER_ALLOWED = 'the procedure is strict: "allowUndeclared" allows nothing there'
const MEANT_ALL = 'if you mean it, send "all": true'
const MEANT_UNDECLARED = 'if you mean it, send "allowUndeclared": true'

const refusedName = (name: Fault): Fault => ({
  ...name,
  hint: () => {
    const nearest = typeof name.hint === 'function' ? name.hint() : name.hint
    return nearest === undefined ? MEANT_UNDECLARED : `${nearest} ${MEANT_UNDECLARED}`
  },
})

function notBoolean(body: BulkMembers, name: string): Fault[] {
  const value = body.member(name)
  return value === undefined || typeof value === 'boolean'
    ? []
    : [{ message: `${JSON.stringify(name)} must be true or false`, path: `/body/${name}` }]
}
