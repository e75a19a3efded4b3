interface NamedCaller {
  id: string
  name: string
}

/** Whose requests can be asked for: users and keys by name. A session has none, and is there only where a link named it. */
export function buildCallerOptions(
  users: readonly NamedCaller[],
  keys: readonly NamedCaller[],
  chosen: string | undefined,
): { value: string; label: string }[] {
  const options = [
    ...users.map(({ id, name }) => ({ value: id, label: name })),
    ...keys.map(({ id, name }) => ({ value: id, label: `Key ${name}` })),
  ]
  const isKnown = chosen === undefined || options.some(({ value }) => value === chosen)
  return [
    { value: '', label: 'By anybody' },
    ...(isKnown ? [] : [{ value: chosen, label: `One session, …${chosen.slice(-8)}` }]),
    ...options,
  ]
}
