import type { Blame, Procedure, Process } from 'caseworker'
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { statesAfter } from '../../../api/procedure.ts'
import { AttributeInput } from '../../../parts/attribute/attribute-input.tsx'
import { createFaultText, type FaultText } from '../../../parts/attribute/fault-text.ts'
import { getTypeRules } from '../../../parts/attribute/types.ts'
import { formatValue, parseValue } from '../../../parts/attribute/value-text.ts'
import { Author } from '../../../parts/author/author.tsx'
import { Button, IconButton } from '../../../parts/button.tsx'
import { faultAt, toFailure } from '../../../parts/failure.ts'
import { refuseHalfTyped } from '../../../parts/form/half-typed.ts'
import { isSame } from '../../../parts/form/same.ts'
import { Unsaved } from '../../../parts/form/unsaved.tsx'
import { buildBody, type ProcessField, toPointer, valueAt } from '../../../parts/process/fields.ts'
import { ShownValue } from '../../../parts/process/shown-value.tsx'
import { ProcessConflict } from './conflict.tsx'
import { type ReadProcess, useUpdate } from './update.ts'

interface FieldRowProps {
  procedure: Procedure
  read: ReadProcess
  field: ProcessField
  canEdit: boolean
  /** The present value, where `read` is the past: differences are shown beside it. */
  now?: Process | undefined
  /** The author of the value; null if it is older than the history, undefined if nobody asked. */
  blame?: Blame | null | undefined
}

/** A field: its value, who set it if that is asked for, and its editing in place. */
export function FieldRow({ procedure, read, field, canEdit, now, blame }: FieldRowProps) {
  const [isEditing, setEditing] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  // The focus goes back to where the editing began: the editor that had it is gone.
  const close = () => {
    flushSync(() => setEditing(false))
    opener.current?.focus()
  }
  const { label, path, attribute, isDeclared, isRequired } = field
  const value = valueAt(read.process, path)
  const differs = now !== undefined && !isSame(value, valueAt(now, path))
  const name = path.replace(/^data\./, '')
  return (
    <div
      className={`${differs ? 'bg-warn-soft' : ''} group grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)] gap-x-4 border-b border-line px-4 py-2 last:border-0 sm:grid-cols-[minmax(0,12rem)_minmax(0,1fr)]`}
    >
      <div className="min-w-0 pt-0.5 text-[13px]" title={`${name} · ${getTypeRules(attribute.type).words}`}>
        <span className="break-words text-ink-2">{label}</span>
        {isRequired && path.startsWith('data.') && <span className="text-ink-3"> · required</span>}
        {!isDeclared && <span className="text-ink-3"> · not declared</span>}
      </div>
      {isEditing ? (
        <FieldEditor procedure={procedure} read={read} field={field} onClose={close} />
      ) : (
        <div className="flex min-h-7 min-w-0 items-start gap-2">
          <div className="min-w-0 flex-1 break-words">
            {canEdit ? (
              // biome-ignore lint/a11y/noStaticElementInteractions: the button beside it is for keys
              <div onDoubleClick={() => setEditing(true)}>
                <ShownValue procedure={procedure} path={path} value={value} />
              </div>
            ) : (
              <ShownValue procedure={procedure} path={path} value={value} />
            )}
            {differs && (
              <div className="mt-0.5 text-[13px] text-warn">
                {'now: '}
                <ShownValue procedure={procedure} path={path} value={valueAt(now, path)} />
              </div>
            )}
            {blame !== undefined && (
              <div className="mt-0.5 text-xs text-ink-2">
                {blame ? <Author by={blame.by} at={blame.at} version={blame.version} /> : 'Older than what is kept'}
              </div>
            )}
          </div>
          {canEdit && (
            <IconButton
              ref={opener}
              label={`Edit ${label}`}
              icon="edit"
              className="size-7! opacity-60 group-hover:opacity-100 focus-visible:opacity-100"
              onClick={() => setEditing(true)}
            />
          )}
        </div>
      )}
    </div>
  )
}

interface FieldEditorProps {
  procedure: Procedure
  read: ReadProcess
  field: ProcessField
  onClose: () => void
}

function FieldEditor({ procedure, read: given, field, onClose }: FieldEditorProps) {
  // The value is compared with that at the beginning of editing, whatever is read meanwhile.
  const [read] = useState(given)
  const { path, label } = field
  const attribute =
    path === 'state'
      ? { ...field.attribute, values: [read.process.state, ...statesAfter(procedure, read.process.state)] }
      : field.attribute
  const before = formatValue(attribute, valueAt(read.process, path))
  const [text, setText] = useState(before)
  const { send, isPending, error, conflict, closeConflict } = useUpdate(procedure, read, onClose)
  const form = useRef<HTMLFormElement>(null)
  const id = useId()
  useEffect(() => form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), [])
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (form.current && refuseHalfTyped(form.current)) return
    if (text === before) onClose()
    else send(buildBody(path, parseValue(attribute, text)))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
  }
  const words = createFaultText(procedure)
  const fault = error ? (faultAt(error, toPointer(path), false, words) ?? formatRefusal(error, words)) : undefined
  return (
    <>
      <form ref={form} onSubmit={submit} onKeyDown={onKeyDown} aria-label={`Edit ${label}`} className="min-w-0">
        <label id={`${id}-label`} htmlFor={id} className="sr-only">
          {label}
        </label>
        <AttributeInput
          attribute={attribute}
          names={field.names}
          text={text}
          onChange={setText}
          id={id}
          aria-describedby={fault === undefined ? undefined : `${id}-fault`}
          aria-invalid={fault === undefined ? undefined : true}
        />
        {fault !== undefined && (
          <p id={`${id}-fault`} role="alert" className="mt-1 text-[13px] text-bad">
            {fault}
          </p>
        )}
        <div className="mt-2 flex gap-2">
          <Button tone="main" type="submit" isPending={isPending}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
      {conflict && (
        <ProcessConflict procedure={procedure} conflict={conflict} onClose={closeConflict} onDone={onClose} />
      )}
      <Unsaved isUnsaved={text !== before && !isPending} what={label} />
    </>
  )
}

const formatRefusal = (error: unknown, words: FaultText): string => {
  const { title, hint, requestId } = toFailure(error, words)
  return [title, hint, requestId && `Request ${requestId}`].filter(Boolean).join('. ')
}
