import { useQueryClient } from '@tanstack/react-query'
import type { Procedure, UpdateProcessByIdBody } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../../api/change.ts'
import { useConfig, useMay, useMe } from '../../api/me.ts'
import { formatProcessTitle, getStateName, statesAfter } from '../../api/procedure.ts'
import { formatUserName } from '../../api/user-name.ts'
import { createFaultText } from '../../parts/attribute/fault-text.ts'
import { Button } from '../../parts/button.tsx'
import { Question } from '../../parts/dialog.tsx'
import { isCode } from '../../parts/failure.ts'
import { Card } from '../../parts/page.tsx'
import { FailureNote } from '../../parts/states.tsx'
import { usePageActions } from '../../shell/page-actions.ts'
import { PROCESS_READS } from '../process-reads.ts'
import { ProcessConflict } from './field/conflict.tsx'
import { type ReadProcess, useUpdate } from './field/update.ts'

/** Offers the actions on a process as a whole. */
export function ProcessActions({ procedure, read: { process, etag } }: { procedure: Procedure; read: ReadProcess }) {
  const may = useMay()
  const queries = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const path = { procedureShortId: process.procedureShortId, processId: process.id }
  const close = () => setAsked(false)
  const remove = useChange('deleteProcessById', {
    rereads: PROCESS_READS,
    done: 'The process is deleted',
    onDone: close,
  })
  const onError = (error: unknown) => {
    close()
    // A second question has to be about the present process.
    if (isCode(error, 'precondition_failed')) void queries.invalidateQueries({ queryKey: ['getProcessById'] })
  }
  const mayDelete = may('process:delete')
  usePageActions([
    mayDelete && {
      label: `Delete ${formatProcessTitle(procedure, process)} …`,
      icon: 'trash',
      isDanger: true,
      act: () => setAsked(true),
    },
  ])
  if (!mayDelete) return null
  return (
    <>
      <Button tone="quiet" icon="trash" onClick={() => setAsked(true)}>
        Delete …
      </Button>
      <Question
        title={`Delete ${formatProcessTitle(procedure, process)}?`}
        confirm="Delete the process"
        isOpen={isAsked}
        isPending={remove.isPending}
        onClose={close}
        onConfirm={() => remove.mutate({ path, options: { ifMatch: etag } }, { onError })}
      >
        It is in no list any more. It stays in the trash for a while, and can be restored from there or from this page,
        with its history.
      </Question>
    </>
  )
}

/** Offers the states that may follow. */
export function NextStates({ procedure, read }: { procedure: Procedure; read: ReadProcess }) {
  const [chosen, setChosen] = useState<string>()
  const done = () => setChosen(undefined)
  const { send, isPending, error, conflict, closeConflict } = useUpdate(procedure, read, done)
  const { user } = useMe()
  const users = useConfig()?.users ?? []
  const { state, status, assignedTo } = read.process
  const following = statesAfter(procedure, state)
  // If the completed state has the status, the move there completes the process.
  const { completedState, states } = procedure
  const isByState = states.some(each => each.shortId === completedState && each.status === 'COMPLETED')
  const mayComplete =
    status === 'OPEN' && (state === completedState || (!isByState && following.includes(completedState)))
  // A button is pending if its own change is.
  const act = (what: string, change: UpdateProcessByIdBody) => {
    setChosen(what)
    send(change)
  }
  const move = (next: string) => act(next, { state: next })
  const complete = () => act('status', { status: 'COMPLETED' })
  const assign = (assignee: string | null) => act('assignee', { assignedTo: assignee })
  const waiting = (what: string) => ({ isPending: isPending && chosen === what, disabled: isPending })
  const mayTake = status === 'OPEN' && assignedTo !== user.id
  const others = users.filter(({ id, isActive }) => isActive && id !== user.id && id !== assignedTo)
  usePageActions([
    ...following.map(next => ({
      label: `Move to ${getStateName(procedure, next)}`,
      icon: 'right' as const,
      act: () => move(next),
    })),
    mayComplete && { label: 'Complete', icon: 'check', act: complete },
    mayTake && { label: 'Assign to me', icon: 'user', act: () => assign(user.id) },
    assignedTo !== null && { label: 'Assign to nobody', icon: 'user', act: () => assign(null) },
    ...others.map(each => ({
      label: `Assign to ${formatUserName(each)}`,
      icon: 'user' as const,
      isOnlyTyped: true,
      act: () => assign(each.id),
    })),
  ])
  return (
    <Card title="Move on">
      <p className="mb-2 text-[13px] text-ink-2">
        It is in <b className="font-medium text-ink">{getStateName(procedure, state)}</b>
        {following.length === 0 ? ', and no state may follow.' : '. What may follow:'}
      </p>
      <div className="flex flex-wrap gap-2">
        {following.map(next => (
          <Button key={next} {...waiting(next)} onClick={() => move(next)}>
            {getStateName(procedure, next)}
          </Button>
        ))}
        {mayComplete && (
          <Button tone="main" icon="check" {...waiting('status')} onClick={complete}>
            Complete
          </Button>
        )}
        {mayTake && (
          <Button tone="quiet" icon="user" {...waiting('assignee')} onClick={() => assign(user.id)}>
            Assign to me
          </Button>
        )}
      </div>
      {error && (
        <div className="mt-3">
          <FailureNote error={error} words={createFaultText(procedure)} />
        </div>
      )}
      {conflict && <ProcessConflict procedure={procedure} conflict={conflict} onClose={closeConflict} onDone={done} />}
    </Card>
  )
}
