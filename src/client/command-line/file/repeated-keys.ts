import type { Procedure } from '../../client.ts'
import type { ImportMode } from './columns.ts'
import { keyOfItem } from './row-fault.ts'

interface RepeatedKeys {
  /** What is said against a row whose key an earlier row has. Rows with another fault are not to be asked for. */
  faultOf: (row: { line: number; item: Record<string, unknown> }) => string | undefined
  warnings: () => string[]
}

/** Of new processes the second with a key is refused; of changes both are made, which is allowed but seldom meant. */
export function repeatedKeys({ procedure, mode }: { procedure: Procedure; mode: ImportMode }): RepeatedKeys {
  const lines = new Map<string, number>()
  let [count, first] = [0, '']
  return {
    faultOf({ item, line }) {
      const key = keyOfItem(procedure, item)
      if (key === undefined) return undefined
      const earlier = lines.get(key)
      if (earlier === undefined) {
        lines.set(key, line)
        return undefined
      }
      const sentence = `the same ${procedure.primaryKey} as line ${earlier}`
      if (mode === 'create') return sentence
      if (count === 0) first = `line ${line} has ${sentence}`
      count += 1
      return undefined
    },
    warnings: () => (count === 0 ? [] : [`${first}${count === 1 ? '' : `, and ${count - 1} more rows repeat a key`}`]),
  }
}
