import type { PutProcedureBody } from 'caseworker'
import type { ProcedureAttribute } from '../api/procedure.ts'
import { type AttributeType, getTypeRules, isEnumType } from '../parts/attribute/types.ts'
import { formatLines, valuesIn } from '../parts/attribute/value-text.ts'

/** A state while it is edited. Others refer to its key, so its short id may change. */
export interface StateDraft {
  key: string
  /** True if processes have stored the short id, which then stays. */
  isSaved: boolean
  shortId: string
  name: string
  /** Keys of the states that may follow; null: any. */
  next: readonly string[] | null
  /** The status that the state gives a process; empty if it gives none. */
  status: NonNullable<PutProcedureBody['states'][number]['status']> | ''
  startsHere: boolean
}

export interface AttributeDraft extends Required<Pick<ProcedureAttribute, 'type' | 'required' | 'indexed'>> {
  key: string
  isSaved: boolean
  shortId: string
  name: string
  searchable: boolean
  personal: boolean
  /** The values of an enum, one on each line. */
  values: string
}

/** A definition while it is edited. */
export interface Draft {
  name: string
  states: readonly StateDraft[]
  startState: string
  completedState: string
  attributes: readonly AttributeDraft[]
  primaryKey: string | null
  phoneAttribute: string | null
  strict: boolean
}

const newKey = (): string => crypto.randomUUID()

/** The form of a definition; of one that is not saved, `saved` is the one that is. */
export function toDraft(definition: PutProcedureBody, saved: PutProcedureBody = definition): Draft {
  const { states, attributes = [] } = definition
  const isIn = (parts: readonly { shortId: string }[] | undefined, shortId: string) =>
    parts?.some(each => each.shortId === shortId) === true
  const stateKeys = new Map(states.map(({ shortId }) => [shortId, newKey()]))
  const attributeKeys = new Map(attributes.map(({ shortId }) => [shortId, newKey()]))
  const stateKey = (shortId: string) => stateKeys.get(shortId) ?? ''
  const attributeKey = (shortId: string | null = null) =>
    shortId === null ? null : (attributeKeys.get(shortId) ?? null)
  return {
    name: definition.name,
    states: states.map(({ shortId, name = '', next, status, startsHere = true }) => ({
      key: stateKey(shortId),
      isSaved: isIn(saved.states, shortId),
      shortId,
      name,
      next: next?.map(stateKey) ?? null,
      status: status ?? ('' as const),
      startsHere,
    })),
    startState: stateKey(definition.startState),
    completedState: stateKey(definition.completedState),
    attributes: attributes.map(attribute => ({
      key: attributeKey(attribute.shortId) ?? '',
      isSaved: isIn(saved.attributes, attribute.shortId),
      shortId: attribute.shortId,
      name: attribute.name ?? '',
      type: attribute.type,
      required: attribute.required === true,
      indexed: attribute.indexed === true,
      searchable: attribute.searchable === true,
      personal: attribute.personal === true,
      values: formatLines(attribute.values ?? []),
    })),
    primaryKey: attributeKey(definition.primaryKey),
    phoneAttribute: attributeKey(definition.phoneAttribute),
    strict: definition.strict === true,
  }
}

export const newState = (shortId = '', name = ''): StateDraft => ({
  key: newKey(),
  isSaved: false,
  shortId,
  name,
  next: null,
  status: '',
  startsHere: true,
})

export const newAttribute = (): AttributeDraft => ({
  key: newKey(),
  isSaved: false,
  shortId: '',
  name: '',
  type: 'string',
  required: false,
  indexed: false,
  searchable: false,
  personal: false,
  values: '',
})

/** Returns the draft of a new procedure. */
export function createDraft(): Draft {
  const [open, done] = [newState('OPEN', 'Open'), { ...newState('DONE', 'Done'), status: 'COMPLETED' as const }]
  const keys = { startState: open.key, completedState: done.key, primaryKey: null, phoneAttribute: null }
  return { name: '', states: [open, done], attributes: [], strict: false, ...keys }
}

/** The draft as it is sent. What is wrong with it is for the API to say. */
export function toBody(draft: Draft): PutProcedureBody {
  const idIn = (parts: readonly { key: string; shortId: string }[], key: string) =>
    parts.find(each => each.key === key)?.shortId ?? ''
  const attributeId = (key: string | null) => (key === null ? null : idIn(draft.attributes, key))
  return {
    name: draft.name,
    states: draft.states.map(({ shortId, name, next, status, startsHere }) => ({
      shortId,
      ...(name.trim() && { name }),
      ...(next && { next: next.map(key => idIn(draft.states, key)) }),
      ...(status && { status }),
      ...(!startsHere && { startsHere }),
    })),
    startState: idIn(draft.states, draft.startState),
    completedState: idIn(draft.states, draft.completedState),
    attributes: draft.attributes.map(({ key, isSaved, name, searchable, personal, values, ...attribute }) => ({
      ...attribute,
      ...(name.trim() && { name }),
      ...(searchable && { searchable }),
      ...(personal && { personal }),
      ...(isEnumType(attribute.type) && values.trim() && { values: enumValuesIn(values, attribute.type) }),
    })),
    primaryKey: attributeId(draft.primaryKey),
    phoneAttribute: attributeId(draft.phoneAttribute),
    strict: draft.strict,
  }
}

/** A definition of the API as the form would send it, to be compared with one that it sends. */
export const asSent = (definition: PutProcedureBody): PutProcedureBody => toBody(toDraft(definition))

function enumValuesIn(text: string, type: AttributeType): (string | number)[] {
  const lines = valuesIn(text)
  if (!getTypeRules(type).isNumber) return lines
  return lines.map(line => (Number.isNaN(Number(line)) ? line : Number(line)))
}

/** Explains the use of the primary key, and what follows if it may be left out. */
export function keyHint({ attributes, primaryKey }: Pick<Draft, 'attributes' | 'primaryKey'>): string {
  const key = attributes.find(each => each.key === primaryKey)
  const rule = 'What names a process: no two have the same.'
  if (key === undefined || key.required) return rule
  return `${rule} ${key.name || key.shortId} is not required: a process without one has no name.`
}

const words = (name: string): string =>
  name
    .trim()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
export const toStateId = (name: string): string => words(name).toUpperCase()
export const toAttributeId = (name: string): string => words(name).toLowerCase()
/** Makes a short id for addresses: letters of ASCII. */
export const toProcedureId = (name: string): string =>
  words(name.normalize('NFKD').replace(/[^\p{ASCII}]/gu, '')).toLowerCase()

/** Returns the part with a new name, and the short id made of it until somebody writes another. */
export function renamePart<Part extends { name: string; shortId: string; isSaved: boolean }>(
  part: Part,
  name: string,
  toId: (name: string) => string,
): Part {
  const isOwn = part.isSaved || part.shortId !== toId(part.name)
  return { ...part, name, shortId: isOwn ? part.shortId : toId(name) }
}

export function moveItem<Part>(parts: readonly Part[], place: number, by: 1 | -1): readonly Part[] {
  const [one, other] = [parts[place], parts[place + by]]
  if (one === undefined || other === undefined) return parts
  return parts.map((part, nth) => (nth === place ? other : nth === place + by ? one : part))
}

export const replaced = <Part extends { key: string }>(parts: readonly Part[], part: Part): readonly Part[] =>
  parts.map(each => (each.key === part.key ? part : each))

/** The completed state says the same as the others do: where one says that it completes, the chosen one does, too. */
export function withCompletedState(draft: Draft, key: string): Draft {
  const isSaid = draft.states.some(({ status }) => status === 'COMPLETED')
  const states = draft.states.map(each =>
    isSaid && each.key === key ? { ...each, status: 'COMPLETED' as const } : each,
  )
  return { ...draft, states, completedState: key }
}

/** Removes a state with all references to it. A state that cancels does not become the completed one. */
export function removeState(draft: Draft, { key }: StateDraft): Draft {
  const states = draft.states
    .filter(each => each.key !== key)
    .map(each => ({ ...each, next: each.next?.filter(next => next !== key) ?? null }))
  const kept = (role: string, otherwise: StateDraft | undefined) => (role === key ? (otherwise?.key ?? '') : role)
  return {
    ...draft,
    states,
    startState: kept(draft.startState, states[0]),
    completedState: kept(
      draft.completedState,
      states.findLast(({ status }) => status === 'COMPLETED') ??
        states.findLast(({ status }) => status !== 'CANCELLED') ??
        states.at(-1),
    ),
  }
}

export function withoutAttribute(draft: Draft, { key }: AttributeDraft): Draft {
  const kept = (role: string | null) => (role === key ? null : role)
  return {
    ...draft,
    attributes: draft.attributes.filter(each => each.key !== key),
    primaryKey: kept(draft.primaryKey),
    phoneAttribute: kept(draft.phoneAttribute),
  }
}

/** The props of each part of the form. */
export interface DraftFieldsProps {
  draft: Draft
  onChange: (draft: Draft) => void
  /** Returns the fault of a field by its path; with `isExact`, none within the field. */
  getFault: (path: string, isExact?: boolean) => string | undefined
}

/** Paths of the request that have a field: other faults are shown below the form. */
const WITH_FIELD =
  /^\/(path\/procedureShortId|body\/(name|startState|completedState|primaryKey|phoneAttribute|strict|states(\/\d+\/(shortId|name|next|status|startsHere)(\/\d+)?)?|attributes(\/\d+\/(shortId|name|type|required|indexed|searchable|personal|values)(\/\d+)?)?))$/

export const hasField = (path: string | undefined): boolean => path !== undefined && WITH_FIELD.test(path)
