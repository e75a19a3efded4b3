import type { ReactNode } from 'react'

interface VersionsRow {
  key: string
  /** The name of the field that has the versions. */
  name: string
  /** The versions, one for each column. */
  versions: readonly ReactNode[]
}

export interface VersionsTableProps {
  /** The first one names what has the versions. */
  columns: readonly string[]
  rows: readonly VersionsRow[]
}

/** Values as they were, are, or would be, beside each other. */
export function VersionsTable({ columns, rows }: VersionsTableProps) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left text-[13px]">
        <thead>
          <tr className="border-b border-line text-ink-2">
            {columns.map(name => (
              <th key={name} scope="col" className="py-1.5 pr-4 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, versions }) => (
            <tr key={key} className="border-b border-line align-top last:border-0">
              <th scope="row" className="py-1.5 pr-4 font-normal text-ink-2">
                {name}
              </th>
              {versions.map((shown, nth) => (
                <td key={columns[nth + 1]} className="py-1.5 pr-4 last:font-medium">
                  {shown}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
