import type { Entry } from '../../background-job/entry.ts'
import { type JobTitle, shortenName } from '../../background-job/title.ts'
import { isObject } from '../../http/shapes.ts'
import { FIELD_NAMES } from '../../import-file/columns.ts'
import { getDeclaredAttributes } from '../../procedure/declared.ts'
import { type Procedure, STATUSES } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { findUserName } from '../../user/reference.ts'
import { UpdateProcess } from '../schema.ts'
import { VERBS } from './kinds.ts'
import type { ProcessEntryKind } from './schema.ts'

/** A line has room for so many fields. */
const FIELDS_NAMED = 3
/** Nobody asks how many there are of more. */
const FIELDS_COUNTED_MAX = 1_000

interface FieldUse {
  value: unknown
  /** How many entries have this value; the others have another one, or none. */
  entries: number
}

/** Looks at the entries of a job as they come in, for what all of them do. */
export interface TitleDraft {
  note: (entry: Pick<Entry, 'apiType' | 'apiData'>) => void
  /** Asked for when all entries were noted; they are the entries of one request. */
  write: (scope: Scope) => Promise<JobTitle>
}

/** `expected`: what the request is for, where none of its entries could be read. */
export function draftTitle(procedure: Procedure, expected: ProcessEntryKind): TitleDraft {
  const kinds = new Set<string>()
  const [fields, attributes] = [new Map<string, FieldUse>(), new Map<string, FieldUse>()]
  let entries = 0
  return {
    note({ apiType, apiData }) {
      kinds.add(apiType)
      entries += 1
      const { processUpdate } = apiData
      if (!isObject(processUpdate)) return
      noteValues(fields, pickKnown(processUpdate))
      if (isObject(processUpdate.data)) noteValues(attributes, processUpdate.data)
    },
    async write(scope) {
      const [kind = expected, ...others] = kinds
      const isUpdate = kind === 'PROCESS_UPDATE' && others.length === 0
      fields.delete('data')
      const uses = [...toUses('field', fields), ...toUses('attribute', attributes)]
      const does = isUpdate
        ? await describeUpdate(scope, procedure, uses, entries)
        : VERBS[others.length === 0 ? (kind as ProcessEntryKind) : 'PROCESS_UPDATE']
      return { does, procedure: procedure.name }
    },
  }
}

/** An entry that is invalid may have fields that nobody knows. */
const pickKnown = (update: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(update).filter(([name]) => Object.hasOwn(UpdateProcess.shape, name)))

function noteValues(uses: Map<string, FieldUse>, values: Record<string, unknown>): void {
  for (const name of Object.keys(values)) {
    const use = uses.get(name)
    if (use !== undefined) use.entries += use.value === values[name] ? 1 : 0
    else if (uses.size < FIELDS_COUNTED_MAX) uses.set(name, { value: values[name], entries: 1 })
  }
}

interface CountedField extends FieldUse {
  in: 'field' | 'attribute'
  name: string
}

const toUses = (place: CountedField['in'], uses: ReadonlyMap<string, FieldUse>): CountedField[] =>
  [...uses].map(([name, use]) => ({ in: place, name, ...use }))

async function describeUpdate(
  scope: Scope,
  procedure: Procedure,
  uses: readonly CountedField[],
  entries: number,
): Promise<string> {
  if (uses.length === 0) return VERBS.PROCESS_UPDATE
  const named = uses.slice(0, FIELDS_NAMED)
  const names = named.map(use => shortenName(getUseName(procedure, use)))
  const rest = uses.length - named.length
  const isSame = rest === 0 && named.every(use => use.entries === entries)
  const values = isSame ? await Promise.all(named.map(use => formatUse(scope, procedure, use))) : []
  if (isSame && values.every(value => value !== undefined))
    return `${values.map((value, nth) => `${names[nth]} → ${shortenName(value)}`).join(', ')} on`
  return `${VERBS.PROCESS_UPDATE} ${[...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')} of`
}

/** The value in words that the team has for it; undefined: it has none. */
async function formatUse(scope: Scope, procedure: Procedure, use: CountedField): Promise<string | undefined> {
  if (use.in === 'attribute') return formatAttribute(procedure, use.name, use.value)
  if (use.name === 'assignedTo' && typeof use.value === 'string') return findUserName(scope, use.value)
  return formatField(procedure, use.name, use.value)
}

function getUseName(procedure: Procedure, use: CountedField): string {
  if (use.in === 'attribute') return getDeclaredAttributes(procedure).get(use.name)?.name || use.name
  return FIELD_NAMES[use.name] ?? (use.name === 'record' ? 'Customer' : use.name)
}

/** A value of a field in words that the procedure has for it; undefined: there are none. */
function formatField({ states }: Procedure, field: string, value: unknown): string | undefined {
  if (value === null) return field === 'assignedTo' ? 'nobody' : 'nothing'
  if (field === 'state') {
    const state = states.find(({ shortId }) => shortId === value)
    return state && (state.name || state.shortId)
  }
  if (field === 'status') return STATUSES.find(status => status === value)?.toLowerCase()
  if (field === 'nextActionAt' && (typeof value === 'number' || typeof value === 'string')) return formatMoment(value)
  return undefined
}

function formatMoment(value: number | string): string | undefined {
  const at = new Date(/^\d+$/.test(String(value)) ? Number(value) : value)
  return Number.isNaN(at.getTime()) ? undefined : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Only what the definition itself lists is told: whatever else stands in an attribute may be about a person. */
function formatAttribute(procedure: Procedure, shortId: string, value: unknown): string | undefined {
  if (value === null) return 'nothing'
  const attribute = getDeclaredAttributes(procedure).get(shortId)
  if (attribute === undefined || attribute.personal) return undefined
  if (attribute.type === 'boolean' && typeof value === 'boolean') return value ? 'yes' : 'no'
  return attribute.values?.some(each => each === value) ? String(value) : undefined
}
