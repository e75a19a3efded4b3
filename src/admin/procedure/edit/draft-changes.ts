import type { AttributeDraft, Draft, StateDraft } from './draft.ts'

const words = (name: string): string =>
  name
    .trim()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
export const stateIdOf = (name: string): string => words(name).toUpperCase()
export const attributeIdOf = (name: string): string => words(name).toLowerCase()
/** Short ids of procedures stand in addresses: letters of ASCII. */
export const procedureIdOf = (name: string): string =>
  words(name.normalize('NFKD').replace(/[^\p{ASCII}]/gu, '')).toLowerCase()

/** A new name, and the short id made of it until somebody writes another. */
export function renamed<Part extends { name: string; shortId: string; isSaved: boolean }>(
  part: Part,
  name: string,
  idOf: (name: string) => string,
): Part {
  const isOwn = part.isSaved || part.shortId !== idOf(part.name)
  return { ...part, name, shortId: isOwn ? part.shortId : idOf(name) }
}

export function moved<Part>(parts: readonly Part[], place: number, by: 1 | -1): readonly Part[] {
  const [one, other] = [parts[place], parts[place + by]]
  if (one === undefined || other === undefined) return parts
  return parts.map((part, nth) => (nth === place ? other : nth === place + by ? one : part))
}

export const replaced = <Part extends { key: string }>(parts: readonly Part[], part: Part): readonly Part[] =>
  parts.map(each => (each.key === part.key ? part : each))

/**
 * Other states, or another order of them. As long as none is saved, the first is the start and the last the completed one,
 * unless somebody chose others.
 */
export function withStates(draft: Draft, states: readonly StateDraft[]): Draft {
  const follows = (role: string, before: StateDraft | undefined, after: StateDraft | undefined) =>
    role === before?.key && draft.states.every(({ isSaved }) => !isSaved) ? (after?.key ?? role) : role
  return {
    ...draft,
    states,
    startState: follows(draft.startState, draft.states[0], states[0]),
    completedState: follows(draft.completedState, draft.states.at(-1), states.at(-1)),
  }
}

/** What referred to the state refers to it no more. */
export function withoutState(draft: Draft, { key }: StateDraft): Draft {
  const states = draft.states
    .filter(each => each.key !== key)
    .map(each => ({ ...each, next: each.next?.filter(next => next !== key) ?? null }))
  const kept = (role: string, otherwise: StateDraft | undefined) => (role === key ? (otherwise?.key ?? '') : role)
  return {
    ...draft,
    states,
    startState: kept(draft.startState, states[0]),
    completedState: kept(draft.completedState, states.at(-1)),
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
