import type { Procedure } from 'caseworker'
import { type Difference, fieldNamed } from '../../../parts/process/fields.ts'
import { ShownValue } from '../../../parts/process/shown-value.tsx'
import { VersionsTable } from '../../../parts/table/versions-table.tsx'

interface DifferenceTableProps {
  procedure: Procedure
  changes: readonly Difference[]
  columns: readonly [from: string, to: string]
}

export function DifferenceTable({ procedure, changes, columns }: DifferenceTableProps) {
  const rows = changes.map(({ path, from, to }) => ({
    key: path,
    name: fieldNamed(procedure, path).label,
    versions: [from, to].map(value => <ShownValue key={path} procedure={procedure} path={path} value={value} />),
  }))
  return <VersionsTable columns={['Field', ...columns]} rows={rows} />
}
