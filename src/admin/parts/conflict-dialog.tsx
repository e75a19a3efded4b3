import type { UseQueryResult } from '@tanstack/react-query'
import type { CallInput, OperationId } from 'caseworker'
import type { ReactNode } from 'react'
import { useChange } from '../api/change.ts'
import type { FaultText } from './attribute/fault-text.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { isCode } from './failure.ts'
import { FailureNote, Loaded } from './states.tsx'
import { VersionsTable, type VersionsTableProps } from './table/versions-table.tsx'

interface ConflictDialogProps<Now, Id extends OperationId> {
  /** The noun of what was changed. */
  noun: string
  /** What is there now: read when the dialog opens. */
  fresh: UseQueryResult<{ data: Now; headers: Headers }>
  /** The change that keeps the reader's version. */
  change: { operation: Id; input: CallInput<Id>; rereads: readonly OperationId[] }
  /** The name of the column that names what has the versions. */
  column: string
  /** Lists what it was, is now, and would be. */
  listRows: (now: Now) => VersionsTableProps['rows']
  words?: FaultText
  children?: ReactNode
  onClose: () => void
  onDone: () => void
}

/**
 * Somebody else has changed it in between: both versions, and the choice between them. Whoever closes it has chosen none, and
 * goes on with what was typed.
 */
export function ConflictDialog<Now, Id extends OperationId>(props: ConflictDialogProps<Now, Id>) {
  const { noun, fresh, change, column, listRows, words, children, onClose, onDone } = props
  const takeTheirs = () => {
    onClose()
    onDone()
  }
  const { operation, input, rereads } = change
  const done = 'Your version is kept'
  const keep = useChange(operation, { rereads, showsFailure: true, done, onDone: takeTheirs })
  const keepMine = () => {
    const ifMatch = fresh.data?.headers.get('etag')
    if (!ifMatch) return
    const onError = (error: unknown) => isCode(error, 'precondition_failed') && void fresh.refetch()
    keep.mutate({ ...input, options: { ifMatch } }, { onError })
  }
  return (
    <Dialog
      title={`Somebody else has changed this ${noun}`}
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
      {children}
      <Loaded query={fresh}>
        {({ data }) => (
          <VersionsTable columns={[column, 'When you began', 'Theirs, now', 'Yours']} rows={listRows(data)} />
        )}
      </Loaded>
      {keep.error && (
        <div className="mt-3">
          <FailureNote error={keep.error} words={words} />
        </div>
      )}
    </Dialog>
  )
}
