import type { Procedure } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { parseValue, UNDECLARED } from '../../../parts/attribute/value-text.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { faultAt } from '../../../parts/failure.ts'
import { Field, TextInput } from '../../../parts/field.tsx'
import { buildBody, toPointer } from '../../../parts/process/fields.ts'
import { FailureNote } from '../../../parts/states.tsx'
import { ConflictDialog } from './conflict.tsx'
import { type ReadProcess, useUpdate } from './update.ts'

/** An attribute that the procedure does not declare: it may have any value. */
export function NewAttribute({ procedure, read }: { procedure: Procedure; read: ReadProcess }) {
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
      </Dialog>
      {conflict && <ConflictDialog procedure={procedure} conflict={conflict} onClose={closeConflict} onDone={done} />}
    </div>
  )
}
