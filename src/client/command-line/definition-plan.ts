import type { CaseworkerError, Procedure, ProcedureDryRun } from '../client.ts'
import { formatCount } from './output/terminal.ts'

type Refusal = Pick<ProcedureDryRun['refusals'][number], 'message' | 'path'> & { code: string; hint?: string }

/** The effect of putting a definition. The changes are between the saved and the new one, as the API compares them. */
export interface DefinitionPlan
  extends Pick<ProcedureDryRun, 'changes' | 'processes' | 'indexes' | 'search' | 'values'> {
  procedure: string
  outcome: 'new' | 'changed' | 'unchanged' | 'refused'
  refusals: readonly Refusal[]
}

export function toPlan(procedure: string, outlook: ProcedureDryRun): DefinitionPlan {
  const { isNew, isAllowed, ...plan } = outlook
  const allowed = isNew ? 'new' : plan.changes.length > 0 ? 'changed' : 'unchanged'
  return { procedure, outcome: isAllowed ? allowed : 'refused', ...plan }
}

/** The API compares a definition that is wrong in itself with nothing: all that there is to say are its faults. */
export function toInvalidPlan(procedure: string, { errors }: Pick<CaseworkerError, 'errors'>): DefinitionPlan {
  const refusals = errors.map(({ code, message, path, hint }) => ({
    code,
    message,
    path: path ?? null,
    ...(hint === undefined ? {} : { hint }),
  }))
  const nothing = { changes: [], indexes: [], search: null, values: [] }
  return { procedure, outcome: 'refused', refusals, ...nothing, processes: { count: 0, isMore: false, sampled: 0 } }
}

/**
 * Returns the part of a procedure that is its definition: the same in every installation, and changed only by a put.
 */
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

/** Counts the procedures by outcome. */
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
  const shown = fields.filter(({ field, to }) => field !== 'name' || to !== shortId)
  return shown.length === 0
    ? thing
    : `${thing}: ${shown.map(({ field, to }) => `${field} ${formatValue(to)}`).join(', ')}`
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

/** Formats a value as in the file. */
const formatValue = (value: unknown): string =>
  Array.isArray(value)
    ? `[${formatValues(value)}]`
    : value === null || value === undefined
      ? 'none'
      : JSON.stringify(value)

const formatValues = (values: readonly unknown[]): string => values.map(formatValue).join(', ')

/** Describes the work of the server after a put. It continues to build indexes that it has begun, whatever is put. */
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
