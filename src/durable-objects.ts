type Bindings = {
  [Name in keyof Env as Env[Name] extends DurableObjectNamespace<infer _> ? Name : never]: Env[Name]
}

/** The locations where a Durable Object can be made. `--location` of setup has those of a database besides. */
const LOCATIONS = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me']

/** The location of the database; empty on this machine. */
interface LocationVars {
  LOCATION?: string | undefined
}

export function checkLocation({ LOCATION = '' }: LocationVars): void {
  if (LOCATION !== '' && !LOCATIONS.includes(LOCATION))
    throw new Error(`the setting LOCATION must be one of ${LOCATIONS.join(', ')}`)
}

/** Returns the Durable Object of a name. It stays where it is first requested, so it is requested beside the database that it uses. */
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
