import { getSizeClass, isOneCall, toDocumentChange } from '../../db/document/change.ts'
import type { Procedure } from '../../procedure/model.ts'
import { listIndexedNames, readWordsByName } from '../../procedure/search/index-words.ts'
import { listUpdatedColumns, type UpdatedColumns } from '../rows/updated-columns.ts'
import type { Change } from '../rules.ts'

/** Which fields and attributes a change names, in their order. All entries of a job have one form as a rule. */
export interface ChangeForm {
  set: readonly string[]
  unset: readonly string[]
  /** The members of the change besides its attributes. */
  fields: readonly (keyof Change)[]
  columns: UpdatedColumns
  /** Where in `set` the attribute of an index column stands, by the number of the column. */
  places: ReadonlyMap<number, number>
  /** Changes of one class set the same columns, and about as many attributes: they can share a statement. */
  class: string
  /** So few attributes that one call of a function takes them. */
  isOneCall: boolean
  /** How many characters the names of the attributes have. */
  characters: number
}

/** Tells the form of each change. It is made once for all changes that have it. */
export function createFormCache(procedure: Procedure): (change: Change) => ChangeForm {
  const known = new Map<string, ChangeForm>()
  let last: ChangeForm | undefined
  return change => {
    if (last && isOfForm(last, change)) return last
    const names = listNames(change)
    const key = JSON.stringify(names)
    last = known.get(key) ?? createForm(procedure, change, names)
    known.set(key, last)
    return last
  }
}

type Names = Pick<ChangeForm, 'set' | 'unset' | 'fields'>

const listFields = (change: Change) =>
  (Object.keys(change) as (keyof Change)[]).filter(name => name !== 'set' && name !== 'unset')

const listNames = (change: Change): Names => ({
  set: Object.keys(change.set),
  unset: change.unset,
  fields: listFields(change),
})

function createForm(procedure: Procedure, change: Change, names: Names): ChangeForm {
  const columns = listUpdatedColumns(procedure, change)
  const document = toDocumentChange(change.set, change.unset)
  return {
    ...names,
    columns,
    places: new Map(
      names.set.flatMap((name, nth) =>
        Object.hasOwn(procedure.slots, name) ? [[procedure.slots[name]?.column ?? -1, nth] as const] : [],
      ),
    ),
    class: JSON.stringify([columns, getSizeClass(document)]),
    isOneCall: isOneCall(document),
    characters: JSON.stringify(names.set).length,
  }
}

const areSame = (ones: readonly string[], others: readonly string[]): boolean => {
  if (ones.length !== others.length) return false
  for (let nth = 0; nth < ones.length; nth++) if (ones[nth] !== others[nth]) return false
  return true
}

/** The names of a parsed text are the same objects as a rule, so this takes next to no time. */
const isOfForm = ({ set, unset, fields }: ChangeForm, change: Change): boolean =>
  areSame(set, Object.keys(change.set)) && areSame(unset, change.unset) && areSame(fields, listFields(change))

/** The values of a change by their places in its form, then its words if it changes some, then the state, as JSON. */
export function listFormValues(
  procedure: Procedure,
  { set, fields, columns }: ChangeForm,
  change: Change,
  state: string | undefined,
): string {
  const values: unknown[] = []
  for (const name of set) values.push(change.set[name])
  for (const name of fields) values.push(change[name])
  if (columns.words) values.push(readWordsByName(listIndexedNames(procedure), change))
  if (state !== undefined) values.push(state)
  return JSON.stringify(values)
}
