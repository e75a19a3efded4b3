import type { Procedure } from 'caseworker'
import { VersionsTable } from '../../../parts/table/versions-table.tsx'
import { type Difference, fieldNamed } from './fields.ts'
import { ShownValue } from './shown-value.tsx'

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
