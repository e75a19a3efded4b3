import type { AppError } from '../../errors.ts'
import { quoteValue } from '../../refusal-text.ts'
import type { Scope } from '../../scope.ts'
import type { Attribute, ProcedureRow, Slot } from '../model.ts'
import { listSearchable } from '../search/index-words.ts'
import { checkValue } from '../values.ts'
import { type DefinitionDifference, listDifferences } from './difference-rules.ts'
import type { PlannedDefinition } from './plan.ts'
import type { ProcedureDryRun } from './schema.ts'
import { COUNTED_PROCESSES_MAX, type StoredValue, sampleValues, type ValueSample } from './stored-values.ts'

const EXAMPLES_MAX = 3

/** Describes what writing a plan would do, and what it would mean for stored values. */
export async function runDefinitionDryRun(
  scope: Scope,
  { before, row, refusals }: PlannedDefinition,
): Promise<ProcedureDryRun> {
  const changes = listDifferences(row.shortId, before, row)
  const affected = before ? listAffectedAttributes(changes, before, row) : []
  const sample = before ? await sampleValues(scope, before.no, affected) : NOTHING_STORED
  return {
    isNew: before === undefined,
    isAllowed: refusals.length === 0,
    changes,
    refusals: refusals.flatMap(viewRefusal),
    processes: {
      count: Math.min(sample.processes, COUNTED_PROCESSES_MAX),
      isMore: sample.processes > COUNTED_PROCESSES_MAX,
      sampled: sample.sampled,
    },
    indexes: listIndexChanges(before, row),
    search: findSearchChange(before, row),
    values: sample.sampled === 0 ? [] : affected.map(attribute => viewValues(attribute, row, sample)),
  }
}

const NOTHING_STORED: ValueSample = { processes: 0, sampled: 0, values: [] }

const viewRefusal = ({ code, faults }: AppError): ProcedureDryRun['refusals'] =>
  faults.map(({ message, path, detail }) => ({
    code,
    message,
    path: path ?? null,
    processes: typeof detail?.processes === 'number' ? detail.processes : null,
  }))

/** The members of an attribute whose change may give stored values another meaning. */
const MEANINGFUL_FIELDS = ['type', 'values', 'indexed']

function listAffectedAttributes(changes: DefinitionDifference[], before: ProcedureRow, row: ProcedureRow): Attribute[] {
  const ofAttributes = changes.filter(({ subject }) => subject === 'attribute')
  const affected = ofAttributes.filter(
    ({ change, fields }) => change !== 'changed' || fields.some(({ field }) => MEANINGFUL_FIELDS.includes(field)),
  )
  return affected.flatMap(({ shortId }) => getDeclaration(row, shortId) ?? getDeclaration(before, shortId) ?? [])
}

const getDeclaration = ({ attributes }: ProcedureRow, shortId: string) =>
  attributes.find(each => each.shortId === shortId)

/** Checks stored values by the rule for new ones. What is stored stays as it is until somebody writes it again. */
function viewValues(
  attribute: Attribute,
  row: ProcedureRow,
  { values }: ValueSample,
): ProcedureDryRun['values'][number] {
  const own = values.filter(value => value.attribute === attribute.shortId)
  const declared = getDeclaration(row, attribute.shortId)
  const unfit = declared === undefined ? [] : own.flatMap(stored => findFault(declared, stored))
  const isIndexed = declared?.indexed && declared.shortId !== row.primaryKey
  return {
    attribute: attribute.shortId,
    isDeclared: declared !== undefined,
    stored: own.length,
    unfit: unfit.length,
    preventIndex: isIndexed ? own.filter(({ preventsIndex }) => preventsIndex === 1).length : 0,
    examples: unfit.slice(0, EXAMPLES_MAX),
  }
}

/** A value that would be converted is found by no filter of the new type, which looks for the converted one. */
function findFault(declared: Attribute, { process, value }: StoredValue): { process: string; message: string }[] {
  const stored: unknown = JSON.parse(value)
  const checked = checkValue(declared, stored)
  if ('fault' in checked) return [{ process, message: checked.fault.message }]
  if (JSON.stringify(stored) === JSON.stringify(checked.value)) return []
  const [before, after] = [quoteValue(stored), quoteValue(checked.value)]
  return [{ process, message: `is stored as ${before}: no filter finds it as ${after} until it is written again` }]
}

function listIndexChanges(before: ProcedureRow | undefined, { slots }: ProcedureRow): ProcedureDryRun['indexes'] {
  const isKept = (shortId: string, { column, ready }: Slot) => ready && before?.slots[shortId]?.column === column
  const built = Object.entries(slots).filter(([shortId, slot]) => !isKept(shortId, slot))
  const removed = Object.keys(before?.slots ?? {}).filter(shortId => !Object.hasOwn(slots, shortId))
  return [
    ...built.map(([attribute]) => ({ attribute, change: 'build' as const })),
    ...removed.map(attribute => ({ attribute, change: 'remove' as const })),
  ]
}

function findSearchChange(before: ProcedureRow | undefined, row: ProcedureRow): ProcedureDryRun['search'] {
  const [from, to] = [before ? listSearchable(before) : [], listSearchable(row)]
  const isSame = JSON.stringify([...from].sort()) === JSON.stringify([...to].sort())
  if (isSame && row.wordsReady !== false) return null
  return { change: to.length > 0 ? 'build' : 'remove', attributes: to }
}
