import type { PutProcedureBody } from 'caseworker'
import { isSame } from '../parts/form/same.ts'

/** The three versions of a merge: the common base, the other's and the reader's. */
interface Versions<Value> {
  base: Value
  theirs: Value
  mine: Value
}

interface Part {
  shortId: string
}

export interface DefinitionDrift extends Versions<unknown> {
  subject: 'procedure' | 'state' | 'attribute'
  /** The name of a field of the procedure, or the short id of a state or an attribute. */
  name: string
}

const FIELDS = ['name', 'startState', 'completedState', 'primaryKey', 'phoneAttribute', 'strict'] as const

/** Returns the reader's value where the reader has changed it, and the other's otherwise. */
const chosen = <Value>({ base, theirs, mine }: Versions<Value>): Value => (isSame(mine, base) ? theirs : mine)

const mapParts = <P extends Part>(list: readonly P[] | undefined) =>
  new Map((list ?? []).map(part => [part.shortId, part]))

/** The ids of all three, in the order of those who changed it, me before them. */
function listIds({ base, theirs, mine }: Versions<readonly Part[]>): string[] {
  const ids = (list: readonly Part[]) => list.map(({ shortId }) => shortId)
  const first = isSame(ids(mine), ids(base)) ? theirs : mine
  return [...new Set([...ids(first), ...ids(theirs), ...ids(mine)])]
}

function mergedParts<P extends Part>({ base, theirs, mine }: Versions<readonly P[]>): P[] {
  const [before, now, own] = [mapParts(base), mapParts(theirs), mapParts(mine)]
  return listIds({ base, theirs, mine }).flatMap(
    id => chosen<P | undefined>({ base: before.get(id), theirs: now.get(id), mine: own.get(id) }) ?? [],
  )
}

/** Merges both changes: a field, a state or an attribute that both have changed is the reader's. */
export function mergeDefinition({ base, theirs, mine }: Versions<PutProcedureBody>): PutProcedureBody {
  const field = <Name extends keyof PutProcedureBody>(name: Name) =>
    chosen({ base: base[name], theirs: theirs[name], mine: mine[name] })
  return {
    name: field('name'),
    startState: field('startState'),
    completedState: field('completedState'),
    primaryKey: field('primaryKey'),
    phoneAttribute: field('phoneAttribute'),
    strict: field('strict'),
    states: mergedParts({ base: base.states, theirs: theirs.states, mine: mine.states }),
    attributes: mergedParts({
      base: base.attributes ?? [],
      theirs: theirs.attributes ?? [],
      mine: mine.attributes ?? [],
    }),
  }
}

/** Lists the parts that either has changed. */
export function listDrifts({ base, theirs, mine }: Versions<PutProcedureBody>): DefinitionDrift[] {
  const fields = FIELDS.map(
    (name): DefinitionDrift => ({
      subject: 'procedure',
      name,
      base: base[name],
      theirs: theirs[name],
      mine: mine[name],
    }),
  )
  const parts = (['states', 'attributes'] as const).flatMap(list => {
    const [before, now, own] = [mapParts<Part>(base[list]), mapParts<Part>(theirs[list]), mapParts<Part>(mine[list])]
    return [...new Set([...before.keys(), ...now.keys(), ...own.keys()])].map(
      (name): DefinitionDrift => ({
        subject: list === 'states' ? 'state' : 'attribute',
        name,
        base: before.get(name),
        theirs: now.get(name),
        mine: own.get(name),
      }),
    )
  })
  return [...fields, ...parts].filter(each => !isSame(each.base, each.theirs) || !isSame(each.base, each.mine))
}
