import { useQuery } from '@tanstack/react-query'
import type { Procedure } from 'caseworker'
import { useChange } from '../../../api/change.ts'
import { read } from '../../../api/read.ts'
import { createFaultText } from '../../../parts/attribute/fault-text.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { isCode } from '../../../parts/failure.ts'
import { isSame } from '../../../parts/form/same.ts'
import { differences, fieldNamed, valueAt } from '../../../parts/process/fields.ts'
import { ShownValue } from '../../../parts/process/shown-value.tsx'
import { FailureNote, Loaded } from '../../../parts/states.tsx'
import { VersionsTable } from '../../../parts/table/versions-table.tsx'
import { PROCESS_READS } from '../../process-reads.ts'
import type { Conflict } from './update.ts'

interface ConflictDialogProps {
  procedure: Procedure
  conflict: Conflict
  onClose: () => void
  onDone: () => void
}

const AS_THEIRS = <span className="font-normal text-ink-3">as theirs</span>

/**
 * Somebody else has changed the process in between: both versions, and the choice between them. Whoever closes it has chosen
 * none, and goes on with what was typed.
 */
export function ConflictDialog({ procedure, conflict, onClose, onDone }: ConflictDialogProps) {
  const { base, body } = conflict
  const path = { procedureShortId: base.procedureShortId, processId: base.id }
  const fresh = useQuery({ ...read('getProcessById', { path }), refetchOnMount: 'always' })
  const keep = useChange('updateProcessById', {
    rereads: PROCESS_READS,
    showsFailure: true,
    done: 'Your version is kept',
    onDone: () => {
      onClose()
      onDone()
    },
  })
  const keepMine = () => {
    const etag = fresh.data?.headers.get('etag')
    if (!etag) return
    const onError = (error: unknown) => isCode(error, 'precondition_failed') && void fresh.refetch()
    keep.mutate({ path, body, options: { ifMatch: etag } }, { onError })
  }
  const takeTheirs = () => {
    onClose()
    onDone()
  }
  const { data = {}, ...fields } = body
  const mine: Record<string, unknown> = { ...fields }
  for (const [name, value] of Object.entries(data)) mine[`data.${name}`] = value
  return (
    <Dialog
      title="Somebody else has changed this process"
      size="medium"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={takeTheirs}>Take theirs</Button>
          <Button tone="main" isPending={keep.isPending} disabled={fresh.isFetching} onClick={keepMine}>
            Keep mine
          </Button>
        </>
      }
    >
      <p className="mb-3 text-ink-2">
        It was changed after you opened it. Nothing of yours is saved yet. “Keep mine” sets only the fields that you
        changed; the others stay as they are now. “Take theirs” gives up what you typed; close this to go on with it.
      </p>
      <Loaded query={fresh}>
        {({ data: now }) => {
          const theirs = differences(base, now).map(each => each.path)
          const paths = [...new Set([...Object.keys(mine), ...theirs])]
          const formatVersions = (path: string) => {
            const shown = (value: unknown) => <ShownValue procedure={procedure} path={path} value={value} />
            const [before, after] = [valueAt(base, path), valueAt(now, path)]
            const theirs = isSame(before, after) ? (
              shown(after)
            ) : (
              <b className="font-medium text-warn">{shown(after)}</b>
            )
            if (!(path in mine)) return [shown(before), theirs, AS_THEIRS]
            const yours = <span className="text-accent">{shown(mine[path])}</span>
            return [shown(before), theirs, yours]
          }
          return (
            <VersionsTable
              columns={['Field', 'When you began', 'Theirs, now', 'Yours']}
              rows={paths.map(path => ({
                key: path,
                name: fieldNamed(procedure, path).label,
                versions: formatVersions(path),
              }))}
            />
          )
        }}
      </Loaded>
      {keep.error && (
        <div className="mt-3">
          <FailureNote error={keep.error} words={createFaultText(procedure)} />
        </div>
      )}
    </Dialog>
  )
}
