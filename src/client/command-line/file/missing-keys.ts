import type { Procedure } from '../../client.ts'
import { howMany } from '../output/how-many.ts'
import type { ImportMode } from './columns.ts'
import { keyOfItem } from './row-fault.ts'

interface MissingKeys {
  /** Looks at a row that is to be created. */
  add: (item: Record<string, unknown>) => void
  warnings: () => string[]
}

/** New processes need no primary key where it is not required: what has none has no name either, which is seldom meant. */
export function missingKeys({ procedure, mode }: { procedure: Procedure; mode: ImportMode }): MissingKeys {
  const { primaryKey, attributes } = procedure
  const key = attributes.find(({ shortId }) => shortId === primaryKey)
  let count = 0
  return {
    add(item) {
      if (mode === 'create' && key !== undefined && (keyOfItem(procedure, item) ?? '') === '') count += 1
    },
    warnings: () =>
      count === 0 || key === undefined
        ? []
        : [`${howMany(count, 'row has', 'rows have')} no ${key.name}: what names a process is missing`],
  }
}
