import type { PutProcedureBody } from 'caseworker'
import type { ProcedureAttribute } from '../../api/procedure.ts'
import { type AttributeType, getTypeRules, isEnumType } from '../../parts/attribute/types.ts'
import { linesOf, valuesIn } from '../../parts/attribute/value-text.ts'

/** A state while it is edited. Others refer to its key, so its short id may change. */
export interface StateDraft {
  key: string
  /** Its short id is what processes have stored: it stays. */
  isSaved: boolean
  shortId: string
  name: string
  /** Keys of the states that may follow; null: any. */
  next: readonly string[] | null
  /** What a process becomes here; empty: its status stays. */
  status: NonNullable<PutProcedureBody['states'][number]['status']> | ''
  startsHere: boolean
}

export interface AttributeDraft extends Required<Pick<ProcedureAttribute, 'type' | 'required' | 'indexed'>> {
  key: string
  isSaved: boolean
  shortId: string
  name: string
  searchable: boolean
  /** Of an enum, one a line. */
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
export function draftOf(definition: PutProcedureBody, saved: PutProcedureBody = definition): Draft {
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
      values: linesOf(attribute.values ?? []),
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
  values: '',
})

/** What a new procedure begins with. */
export function firstDraft(): Draft {
  const [open, done] = [newState('OPEN', 'Open'), { ...newState('DONE', 'Done'), status: 'COMPLETED' as const }]
  const keys = { startState: open.key, completedState: done.key, primaryKey: null, phoneAttribute: null }
  return { name: '', states: [open, done], attributes: [], strict: false, ...keys }
}

/** The draft as it is sent. What is wrong with it is for the API to say. */
export function bodyOfDraft(draft: Draft): PutProcedureBody {
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
    attributes: draft.attributes.map(({ key, isSaved, name, searchable, values, ...attribute }) => ({
      ...attribute,
      ...(name.trim() && { name }),
      ...(searchable && { searchable }),
      ...(isEnumType(attribute.type) && values.trim() && { values: enumValuesIn(values, attribute.type) }),
    })),
    primaryKey: attributeId(draft.primaryKey),
    phoneAttribute: attributeId(draft.phoneAttribute),
    strict: draft.strict,
  }
}

/** A definition of the API as the form would send it, to be compared with one that it sends. */
export const asSent = (definition: PutProcedureBody): PutProcedureBody => bodyOfDraft(draftOf(definition))

function enumValuesIn(text: string, type: AttributeType): (string | number)[] {
  const lines = valuesIn(text)
  if (!getTypeRules(type).isNumber) return lines
  return lines.map(line => (Number.isNaN(Number(line)) ? line : Number(line)))
}

/** What the primary key is for, and what follows where it may be left out. */
export function keyHint({ attributes, primaryKey }: Pick<Draft, 'attributes' | 'primaryKey'>): string {
  const key = attributes.find(each => each.key === primaryKey)
  const rule = 'What names a process: no two have the same.'
  if (key === undefined || key.required) return rule
  return `${rule} ${key.name || key.shortId} is not required: a process without one has no name.`
}
