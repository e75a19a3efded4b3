import { useQuery } from '@tanstack/react-query'
import type { Procedure } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../../../api/change.ts'
import { useMay } from '../../../api/me.ts'
import { getStateName, statesAfter } from '../../../api/procedure.ts'
import { read } from '../../../api/read.ts'
import { createFaultText } from '../../../parts/attribute/fault-text.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Checkbox } from '../../../parts/field.tsx'
import { type Difference, differences, fieldNamed } from '../../../parts/process/fields.ts'
import { ShownValue } from '../../../parts/process/shown-value.tsx'
import { FailureNote, Loaded } from '../../../parts/states.tsx'
import { VersionsTable } from '../../../parts/table/versions-table.tsx'
import { PROCESS_READS } from '../../process-reads.ts'
import type { ReadProcess } from '../field/update.ts'

interface RevertDialogProps {
  procedure: Procedure
  now: ReadProcess
  version: number
  onClose: () => void
  onDone?: () => void
}

/** Shows what a revert would change, then reverts: only if the process is still as in the preview. */
export function RevertDialog({ procedure, now: { process, etag }, version, onClose, onDone }: RevertDialogProps) {
  const path = { procedureShortId: process.procedureShortId, processId: process.id }
  const then = useQuery(read('getProcessById', { path, query: { asOf: String(version) } }))
  const revert = useChange('revertProcessById', {
    rereads: PROCESS_READS,
    showsFailure: true,
    done: `It has the values of version ${version} again`,
    onDone: () => {
      onClose()
      onDone?.()
    },
  })
  const changes = then.data && differences(process, then.data.data)
  const may = useMay()
  const [isMeant, setMeant] = useState(false)
  const target = then.data?.data.state ?? process.state
  const isAgainstMoves = target !== process.state && !statesAfter(procedure, process.state).includes(target)
  const mayOverride = may('process:override')
  return (
    <Dialog
      title={`Revert to version ${version}?`}
      size="medium"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            tone="main"
            isPending={revert.isPending}
            disabled={!changes || changes.length === 0 || (isAgainstMoves && !isMeant)}
            onClick={() =>
              revert.mutate({
                path,
                body: { version, ...(isAgainstMoves && { force: true }) },
                options: { ifMatch: etag },
              })
            }
          >
            Revert
          </Button>
        </>
      }
    >
      <Loaded query={then}>
        {() =>
          changes?.length === 0 ? (
            <p>The process has the values of this version already.</p>
          ) : (
            <>
              <p className="mb-3 text-ink-2">
                A revert is a change like any other: it makes a new version, and can be reverted. The customer stays as
                it is.
              </p>
              <DifferenceTable procedure={procedure} changes={changes ?? []} columns={['Now', 'After the revert']} />
              {isAgainstMoves && (
                <div className="mt-3 rounded-card border border-warn/40 bg-warn-soft p-3">
                  <p>
                    {`From ${getStateName(procedure, process.state)} a process does not move to ${getStateName(procedure, target)}. `}
                    {mayOverride
                      ? 'You may revert it nevertheless; the history will say that it was against the allowed moves.'
                      : 'Admins and managers may revert it nevertheless.'}
                  </p>
                  {mayOverride && (
                    <Checkbox
                      label="Revert against the allowed moves"
                      className="mt-2"
                      checked={isMeant}
                      onChange={({ target }) => setMeant(target.checked)}
                    />
                  )}
                </div>
              )}
            </>
          )
        }
      </Loaded>
      {revert.error && (
        <div className="mt-3">
          <FailureNote error={revert.error} words={createFaultText(procedure)} />
        </div>
      )}
    </Dialog>
  )
}

interface DifferenceTableProps {
  procedure: Procedure
  changes: readonly Difference[]
  columns: readonly [from: string, to: string]
}

function DifferenceTable({ procedure, changes, columns }: DifferenceTableProps) {
  const rows = changes.map(({ path, from, to }) => ({
    key: path,
    name: fieldNamed(procedure, path).label,
    versions: [from, to].map(value => <ShownValue key={path} procedure={procedure} path={path} value={value} />),
  }))
  return <VersionsTable columns={['Field', ...columns]} rows={rows} />
}
