type Bindings = {
  [Name in keyof Env as Env[Name] extends DurableObjectNamespace<infer _> ? Name : never]: Env[Name]
}

/** Where an object can be made. `--location` of setup has those that a database can have, too. */
const LOCATIONS = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me']

/** In which part of the world the database is; empty: on this machine. */
interface LocationVars {
  LOCATION?: string | undefined
}

export function checkLocation({ LOCATION = '' }: LocationVars): void {
  if (LOCATION !== '' && !LOCATIONS.includes(LOCATION))
    throw new Error(`the setting LOCATION must be one of ${LOCATIONS.join(', ')}`)
}

/** The object of a name. It stays where it is first asked for, so it is asked for beside the database that it works with. */
export function getDurableObject<Name extends keyof Bindings>(
  env: Pick<Bindings, Name> & LocationVars,
  binding: Name,
  name: string,
): ReturnType<Bindings[Name]['get']> {
  const namespace = env[binding] as DurableObjectNamespace
  const { LOCATION: location = '' } = env
  const id = namespace.idFromName(name)
  const object =
    location === '' ? namespace.get(id) : namespace.get(id, { locationHint: location as DurableObjectLocationHint })
  return object as ReturnType<Bindings[Name]['get']>
}
