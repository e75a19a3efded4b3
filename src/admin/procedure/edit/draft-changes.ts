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

/** The completed state says the same as the others do: where one says that it completes, the chosen one does, too. */
export function withCompletedState(draft: Draft, key: string): Draft {
  const isSaid = draft.states.some(({ status }) => status === 'COMPLETED')
  const states = draft.states.map(each =>
    isSaid && each.key === key ? { ...each, status: 'COMPLETED' as const } : each,
  )
  return { ...draft, states, completedState: key }
}

/** What referred to the state refers to it no more. A state that cancels is not made the completed one. */
export function withoutState(draft: Draft, { key }: StateDraft): Draft {
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
