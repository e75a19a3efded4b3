import { useQuery } from '@tanstack/react-query'
import type { Procedure } from 'caseworker'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Badge } from '../parts/badge.tsx'
import { LinkButton } from '../parts/button.tsx'
import { Go } from '../parts/go.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time.tsx'
import { definitionAddress } from './definition.ts'
import { ProcessTotal } from './process-total.tsx'

/** Counting costs a call for each procedure. */
const COUNTED_PROCEDURES_MAX = 20

export function ProceduresPage() {
  const may = useMay()
  const procedures = useQuery(read('listProcedures', {}))
  const isCounted = may('process:read') && (procedures.data?.data.length ?? 0) <= COUNTED_PROCEDURES_MAX
  const newProcedure = may('config:write') && (
    <LinkButton tone="main" icon="plus" to="/procedure/new">
      New procedure
    </LinkButton>
  )
  const columns: Column<Procedure>[] = [
    {
      id: 'name',
      header: 'Name',
      cell: procedure => (
        <Go to={definitionAddress(procedure)} className="font-medium text-accent hover:underline">
          {procedure.name}
        </Go>
      ),
    },
    { id: 'shortId', header: 'Short id', cell: ({ shortId }) => <code>{shortId}</code>, from: 'sm' },
    { id: 'processes', header: 'Processes', align: 'right', cell: ({ shortId }) => <ProcessTotal of={shortId} /> },
    { id: 'states', header: 'States', align: 'right', cell: ({ states }) => states.length },
    { id: 'attributes', header: 'Attributes', align: 'right', cell: ({ attributes }) => attributes.length },
    {
      id: 'strict',
      header: 'Undeclared attributes',
      cell: ({ strict }) => (strict ? <Badge>Refused</Badge> : 'Kept'),
      from: 'lg',
    },
    { id: 'updated', header: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} isRelative />, from: 'md' },
  ]
  return (
    <Page title="Procedures" actions={newProcedure} isFull>
      <Loaded query={procedures}>
        {({ data }) => (
          <DataTable
            label="Procedures"
            rows={data}
            columns={columns}
            hiddenColumns={isCounted ? [] : ['processes']}
            getKey={({ id }) => id}
            empty={
              <Empty icon="procedure" title="No procedures yet" action={newProcedure}>
                A procedure defines a kind of work: the states that its processes go through, and their attributes.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}
