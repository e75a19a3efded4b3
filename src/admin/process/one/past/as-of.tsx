import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { localTime } from '../../../parts/attribute/value-text.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field, TextInput } from '../../../parts/field.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { formatZonedTime } from '../../../parts/times.ts'

const VERSION_MAX = 999_999_999
const isVersion = (asOf: string): boolean => /^\d+$/.test(asOf) && Number(asOf) <= VERSION_MAX

/** "version 3", or the time. */
const momentWords = (asOf: string): string =>
  isVersion(asOf) ? `version ${asOf}` : formatZonedTime(/^\d+$/.test(asOf) ? Number(asOf) : Date.parse(asOf))

interface AsOfBarProps {
  asOf: string | undefined
  /** Reverts to a version; undefined if the reader may not. */
  onRevert?: ((version: number) => void) | undefined
}

/** Shows the chosen point in time: now, a time, or a version. */
export function AsOfBar({ asOf, onRevert }: AsOfBarProps) {
  const navigate = useNavigate({ from: '/procedure/$procedureShortId/process/$id' })
  const [isAsking, setAsking] = useState(false)
  const [text, setText] = useState(() => localTime(Date.now()))
  const show = (moment: string | undefined) =>
    void navigate({ search: ({ asOf: _, ...before }) => (moment === undefined ? before : { ...before, asOf: moment }) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsking(false)
    show(String(Date.parse(text)))
  }
  const question = (
    <Dialog
      title="As it was at a moment"
      isOpen={isAsking}
      onClose={() => setAsking(false)}
      footer={
        <>
          <Button onClick={() => setAsking(false)}>Cancel</Button>
          <Button tone="main" type="submit" form="as-of">
            Show
          </Button>
        </>
      }
    >
      <form id="as-of" onSubmit={submit}>
        <Field label="Date and time" hint="In your time zone. A version is chosen in the history.">
          {field => (
            <TextInput
              {...field}
              type="datetime-local"
              step={1}
              required
              max={localTime(Date.now())}
              value={text}
              onChange={event => setText(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
  if (asOf === undefined)
    return (
      <>
        <Button tone="quiet" icon="event" onClick={() => setAsking(true)}>
          As of a moment …
        </Button>
        {question}
      </>
    )
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-card border border-warn/40 bg-warn-soft px-4 py-2"
    >
      <Icon name="event" className="text-warn" />
      <span className="font-medium">As it was: {momentWords(asOf)}</span>
      <span className="ml-auto flex gap-2">
        {onRevert && isVersion(asOf) && (
          <Button icon="undo" onClick={() => onRevert(Number(asOf))}>
            Revert to this …
          </Button>
        )}
        <Button onClick={() => setAsking(true)}>Another moment …</Button>
        <Button tone="main" onClick={() => show(undefined)}>
          Back to now
        </Button>
      </span>
      {question}
    </div>
  )
}
