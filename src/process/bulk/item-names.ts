import type { Fault } from '../../errors.ts'
import { type Warning, warnOfUndeclared } from '../../http/response/warnings.ts'
import { isObject } from '../../http/shapes.ts'
import { declaredAttributes, undeclaredName } from '../../procedure/declared.ts'
import type { Procedure } from '../../procedure/model.ts'

/** After these a request is not looked at any more. */
const NAMES_MAX = 100
const WHOLE = '/body'

/** The attributes in the items of one request that the procedure does not declare, each with the first item that has it. */
export interface ItemNames {
  note: (index: number, body: unknown) => void
  warnings: () => Warning[]
}

export function undeclaredInItems(procedure: Procedure): ItemNames {
  const found = new Map<string, Fault>()
  // A strict procedure refuses them, each in its entry.
  const declared = procedure.strict ? null : declaredAttributes(procedure)
  return {
    note(index, body) {
      if (declared === null || !isObject(body) || !isObject(body.data) || found.size >= NAMES_MAX) return
      for (const name of Object.keys(body.data)) {
        if (declared.has(name) || found.has(name)) continue
        const fault = undeclaredName(procedure, name, WHOLE)
        found.set(name, { ...fault, message: `${fault.message}; the first item with it has the index ${index}` })
      }
    },
    warnings: () => warnOfUndeclared([...found.values()], WHOLE),
  }
}
