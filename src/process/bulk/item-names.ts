import type { Fault } from '../../errors.ts'
import { type Warning, warnUndeclared } from '../../http/response/warnings.ts'
import { isObject } from '../../http/shapes.ts'
import { getDeclaredAttributes, toUndeclaredFault } from '../../procedure/declared.ts'
import type { Procedure } from '../../procedure/model.ts'

/** After these a request is not looked at any more. */
const NAMES_MAX = 100
const WHOLE = '/body'

/** The attributes in the items of one request that the procedure does not declare, each with the first item that has it. */
interface ItemNames {
  note: (index: number, body: unknown) => void
  /** The same for attributes that an item refers to, also of a strict procedure: there is no value behind such a name. */
  noteReferences: (index: number, names: readonly string[]) => void
  warnings: () => Warning[]
}

export function undeclaredInItems(procedure: Procedure): ItemNames {
  const found = new Map<string, Fault>()
  // A strict procedure refuses them, each in its entry.
  const isStrict = procedure.strict
  const declared = getDeclaredAttributes(procedure)
  function noteNames(index: number, names: readonly string[]): void {
    if (found.size >= NAMES_MAX) return
    for (const name of names) {
      if (declared.has(name) || found.has(name)) continue
      const fault = toUndeclaredFault(procedure, name, WHOLE)
      found.set(name, { ...fault, message: `${fault.message}; the first item with it has the index ${index}` })
    }
  }
  return {
    note(index, body) {
      if (isStrict || !isObject(body) || !isObject(body.data) || found.size >= NAMES_MAX) return
      noteNames(index, Object.keys(body.data))
    },
    noteReferences: noteNames,
    warnings: () => warnUndeclared([...found.values()], WHOLE),
  }
}
