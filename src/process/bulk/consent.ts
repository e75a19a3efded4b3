import type { BulkBody } from '../../background-job/accept/body.ts'
import { type Fault, invalid } from '../../errors.ts'
import { type Warning, warnOfUndeclared } from '../../http/response/warnings.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { examineWhere } from '../query/matches.ts'

/** What a request says beside a query that decides what is changed, or who is written to. */
export const CONSENT_MEMBERS = ['all', 'allowUndeclared'] as const

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
export async function requireConsent(
  scope: Scope,
  procedure: Procedure,
  body: BulkBody,
  { undeclared = [], faults = [] }: BulkQuery = {},
): Promise<Warning[]> {
  const where = body.member('where')
  const read = await examineWhere(scope, procedure, where, WHERE)
  const names = [...read.undeclared, ...undeclared]
  const all: Fault[] = [...faults, ...CONSENT_MEMBERS.flatMap(name => notBoolean(body, name)), ...read.faults]
  if (body.member('allowUndeclared') === true && procedure.strict && names.length > 0)
    all.push({ message: NEVER_ALLOWED, path: '/body/allowUndeclared', hint: 'declare the attribute, or leave it out' })
  if (body.member('allowUndeclared') !== true && !procedure.strict) all.push(...names.map(refusedName))
  if (where !== undefined && read.isUnbounded && body.member('all') !== true)
    all.push({ message: `the query matches every process of ${procedure.shortId}`, path: WHERE, hint: MEANT_ALL })
  if (all.length > 0) throw invalid(all)
  return warnOfUndeclared(names, WHERE)
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

function notBoolean(body: BulkBody, name: string): Fault[] {
  const value = body.member(name)
  return value === undefined || typeof value === 'boolean'
    ? []
    : [{ message: `${JSON.stringify(name)} must be true or false`, path: `/body/${name}` }]
}
