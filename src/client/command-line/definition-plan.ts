import type { CaseworkerError, Procedure, ProcedureDryRun } from '../client.ts'
import { formatCount } from './output/terminal.ts'

type Refusal = Pick<ProcedureDryRun['refusals'][number], 'message' | 'path'> & { code: string; hint?: string }

/** What putting a definition would do. The changes are between what is saved and what would be, as the API compares them. */
export interface DefinitionPlan
  extends Pick<ProcedureDryRun, 'changes' | 'processes' | 'indexes' | 'search' | 'values'> {
  procedure: string
  outcome: 'new' | 'changed' | 'unchanged' | 'refused'
  refusals: readonly Refusal[]
}

export function toPlan(procedure: string, outlook: ProcedureDryRun): DefinitionPlan {
  const { isNew, isAllowed, ...told } = outlook
  const allowed = isNew ? 'new' : told.changes.length > 0 ? 'changed' : 'unchanged'
  return { procedure, outcome: isAllowed ? allowed : 'refused', ...told }
}

/** The API compares a definition that is wrong in itself with nothing: all that there is to say are its faults. */
export function toInvalidPlan(procedure: string, { errors }: Pick<CaseworkerError, 'errors'>): DefinitionPlan {
  const refusals = errors.map(({ code, message, path, hint }) => ({
    ...{ code, message, path: path ?? null },
    ...(hint === undefined ? {} : { hint }),
  }))
  const nothing = { changes: [], indexes: [], search: null, values: [] }
  return { procedure, outcome: 'refused', refusals, ...nothing, processes: { count: 0, isMore: false, sampled: 0 } }
}

/** What of a procedure is its definition: the same in every installation, and changed by nobody but who puts it. */
export function toDefinition({ id, shortId, createdAt, updatedAt, attributes, ...written }: Procedure) {
  return { ...written, attributes: attributes.map(({ indexReady, searchReady, ...attribute }) => attribute) }
}

const SIGNS = { added: '+', changed: '~', removed: '-' } as const

/** A plan for people: a heading, and a line for each thing that would happen. */
export function formatPlan(plan: DefinitionPlan): string {
  const lines = [
    ...plan.changes.map(formatChange),
    ...formatWork(plan),
    ...formatStoredValues(plan),
    ...plan.refusals.map(formatRefusal),
  ]
  return [`${plan.procedure}: ${plan.outcome}`, ...lines.map(line => `  ${line}`)].map(line => `${line}\n`).join('')
}

const OUTCOMES = ['new', 'changed', 'unchanged', 'refused'] as const

/** How many procedures come to what. */
export const formatSummary = (plans: readonly DefinitionPlan[]): string =>
  OUTCOMES.map(outcome => [plans.filter(plan => plan.outcome === outcome).length, outcome] as const)
    .filter(([count]) => count > 0)
    .map(([count, outcome]) => `${count} ${outcome}`)
    .join(', ')

type Change = DefinitionPlan['changes'][number]

function formatChange({ subject, shortId, change, fields }: Change): string {
  const thing = `${SIGNS[change]} ${subject} ${shortId}`
  if (change === 'removed') return thing
  if (change === 'changed') return `${thing}: ${fields.map(formatField).join('; ')}`
  const told = fields.filter(({ field, to }) => field !== 'name' || to !== shortId)
  return told.length === 0
    ? thing
    : `${thing}: ${told.map(({ field, to }) => `${field} ${formatValue(to)}`).join(', ')}`
}

function formatField({ field, from, to }: Change['fields'][number]): string {
  if (Array.isArray(from) && Array.isArray(to)) {
    const come = to.filter(each => !from.includes(each)).map(each => `+ ${formatValue(each)}`)
    const go = from.filter(each => !to.includes(each)).map(each => `- ${formatValue(each)}`)
    return come.length + go.length > 0
      ? `${field} ${[...come, ...go].join(', ')}`
      : `order of ${field}: ${formatValues(to)}`
  }
  return `${field} ${formatValue(from)} → ${formatValue(to)}`
}

/** As it stands in the file. */
const formatValue = (value: unknown): string =>
  Array.isArray(value)
    ? `[${formatValues(value)}]`
    : value === null || value === undefined
      ? 'none'
      : JSON.stringify(value)

const formatValues = (values: readonly unknown[]): string => values.map(formatValue).join(', ')

/** What the server does afterwards. It goes on with indexes that it builds already, whatever is put. */
function formatWork({ outcome, processes, indexes, search }: DefinitionPlan): string[] {
  if (outcome === 'unchanged') return []
  const count = `${processes.isMore ? 'more than ' : ''}${formatCount(processes.count, 'process', 'processes')}`
  const words = search?.attributes.join(', ')
  return [
    ...indexes.map(({ attribute, change }) =>
      change === 'build'
        ? `index of ${attribute}: built over ${count}`
        : `index of ${attribute}: removed; filters by it are slower`,
    ),
    ...(search === null
      ? []
      : search.change === 'build'
        ? [`words of ${words}: indexed over ${count}; search is refused until that is done`]
        : ['words: no longer searched']),
  ]
}

/** Tells of the values that stay, but no longer as what they were. */
function formatStoredValues({ values, processes }: DefinitionPlan): string[] {
  const newest = `of the newest ${formatCount(processes.sampled, 'process', 'processes')}`
  return values.flatMap(({ attribute, isDeclared, stored, unfit, preventIndex, examples }) => {
    if (!isDeclared) return stored === 0 ? [] : [`! ${attribute}: ${stored} ${newest} have a value, which stays stored`]
    if (unfit === 0 && preventIndex === 0) return []
    const example = examples[0] === undefined ? '' : `, such as ${examples[0].process}: ${examples[0].message}`
    return [
      ...(unfit > 0 ? [`! ${attribute}: the values of ${unfit} ${newest} do not fit${example}`] : []),
      ...(preventIndex > 0 ? [`! ${attribute}: the values of ${preventIndex} ${newest} prevent its index`] : []),
    ]
  })
}

const formatRefusal = ({ code, message, path, hint }: Refusal): string =>
  `✗ refused: ${path === null ? '' : `${path}: `}${message}${hint === undefined ? '' : ` (${hint})`}${code === 'invalid_request' ? '' : ` [${code}]`}`
