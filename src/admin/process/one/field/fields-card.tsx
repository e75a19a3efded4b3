import { useNavigate } from '@tanstack/react-router'
import type { Procedure, Process } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { parseValue, UNDECLARED } from '../../../parts/attribute/value-text.ts'
import { Button } from '../../../parts/button.tsx'
import { Copyable } from '../../../parts/code.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { faultAt } from '../../../parts/failure.ts'
import { Field, TextInput } from '../../../parts/field.tsx'
import { Card, Facts } from '../../../parts/page.tsx'
import { buildBody, dataFields, rootFields, toPointer } from '../../../parts/process/fields.ts'
import { FailureNote } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import { useBlame } from '../past/blame.ts'
import { ProcessConflict } from './conflict.tsx'
import { FieldRow } from './field-row.tsx'
import { type ReadProcess, useUpdate } from './update.ts'

interface FieldsProps {
  procedure: Procedure
  read: ReadProcess
  canEdit: boolean
  /** The present process, where `read` is the past. */
  now?: Process | undefined
}

/** Shows all fields of a process, declared and undeclared, each edited in its place. */
export function Fields({ procedure, read, canEdit, now }: FieldsProps) {
  const navigate = useNavigate({ from: '/procedure/$procedureShortId/process/$id' })
  const { process } = read
  const { isAsked: blame, query: blamed, authors } = useBlame(process)
  const toggle = () =>
    void navigate({ search: ({ blame: _, ...before }) => (blame ? before : { ...before, blame: true }) })
  const row = (field: ReturnType<typeof rootFields>[number]) => (
    <FieldRow
      key={field.path}
      procedure={procedure}
      read={read}
      field={field}
      canEdit={canEdit}
      now={now}
      blame={authors?.[field.path]}
    />
  )
  return (
    <Card
      title="Fields"
      isBare
      actions={
        <Button tone="quiet" icon="user" aria-pressed={blame} isPending={blame && blamed.isPending} onClick={toggle}>
          {blame ? 'Hide who set them' : 'Who set them?'}
        </Button>
      }
    >
      {blame && blamed.error && (
        <div className="p-4">
          <FailureNote error={blamed.error} onRetry={() => void blamed.refetch()} />
        </div>
      )}
      {rootFields(procedure).map(row)}
      {dataFields(procedure, { ...process.data, ...now?.data }).map(row)}
      {canEdit && !procedure.strict && <NewAttribute procedure={procedure} read={read} />}
      <div className="border-t border-line bg-sunken px-4 py-3">
        <Facts
          facts={[
            ['Id', <Copyable key="id" text={process.id} />],
            ['Created', <Time key="created" at={process.createdAt} />],
            ['Changed', <Time key="updated" at={process.updatedAt} />],
            ['Completed', process.completedAt === 0 ? null : <Time key="completed" at={process.completedAt} />],
          ]}
        />
      </div>
    </Card>
  )
}

/** An attribute that the procedure does not declare: it may have any value. */
function NewAttribute({ procedure, read }: { procedure: Procedure; read: ReadProcess }) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const done = () => {
    setOpen(false)
    setName('')
    setText('')
  }
  const { send, isPending, error, conflict, closeConflict } = useUpdate(procedure, read, done)
  const path = `data.${name.trim()}`
  const fault = faultAt(error, toPointer(path))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(buildBody(path, parseValue(UNDECLARED, text)))
  }
  return (
    <div className="px-2 py-1.5">
      <Button tone="quiet" icon="plus" onClick={() => setOpen(true)}>
        Another attribute …
      </Button>
      <Dialog
        title="An attribute that is not declared"
        isOpen={isOpen}
        onClose={done}
        footer={
          <>
            <Button onClick={done}>Cancel</Button>
            <Button tone="main" type="submit" form="new-attribute" isPending={isPending}>
              Save
            </Button>
          </>
        }
      >
        <form id="new-attribute" onSubmit={submit} className="flex flex-col gap-3">
          <Field label="Name" hint={`${procedure.name} does not declare it, so any value is taken.`}>
            {field => <TextInput {...field} required value={name} onChange={event => setName(event.target.value)} />}
          </Field>
          <Field label="Value" hint="Text, or JSON: a number, true, a list in brackets." error={fault}>
            {field => <TextInput {...field} required value={text} onChange={event => setText(event.target.value)} />}
          </Field>
          {error && fault === undefined && <FailureNote error={error} />}
        </form>
        {/* Inside the other, so that a key closes this one alone. */}
        {conflict && (
          <ProcessConflict procedure={procedure} conflict={conflict} onClose={closeConflict} onDone={done} />
        )}
      </Dialog>
    </div>
  )
}
