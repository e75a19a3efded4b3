import type { Webhook } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { faultAt, isToldAt } from '../parts/failure.ts'
import { Field, TextInput } from '../parts/field.tsx'
import { FailureNote } from '../parts/states.tsx'
import { sentAgain } from '../parts/webhook/send-event-again.tsx'

const LAST_EVENTS = 100
const FIELDS = ['/body/from', '/body/to']

/** Sends events again, from one number to another. */
export function Replay({ webhook, latest }: { webhook: Webhook; latest: number }) {
  const may = useMay()
  const [isAsking, setAsking] = useState(false)
  const [from, setFrom] = useState(String(Math.max(1, latest - LAST_EVENTS + 1)))
  const [to, setTo] = useState('')
  const replay = useChange('replayWebhook', {
    rereads: ['listWebhookDeliveries'],
    showsFailure: true,
    done: ({ data }) => sentAgain(data.events),
    onDone: () => setAsking(false),
  })
  if (!may('webhook:write')) return null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = { from: Number(from), ...(to === '' ? {} : { to: Number(to) }) }
    replay.mutate({ path: { webhookId: webhook.id }, body })
  }
  return (
    <>
      <Button icon="again" onClick={() => setAsking(true)}>
        Send again …
      </Button>
      <Dialog
        title="Send events again"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        footer={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button tone="main" type="submit" form="replay" isPending={replay.isPending}>
              Send again
            </Button>
          </>
        }
      >
        <form id="replay" onSubmit={submit} className="flex flex-col gap-3">
          <p className="text-ink-2">
            The receiver gets them once more, with the ids that they had. The last event has the number{' '}
            {latest.toLocaleString()}.
          </p>
          <Field label="From" error={faultAt(replay.error, '/body/from')}>
            {field => (
              <TextInput
                {...field}
                type="number"
                min={1}
                required
                value={from}
                onChange={event => setFrom(event.target.value)}
              />
            )}
          </Field>
          <Field label="To" hint="Empty: to the last one." error={faultAt(replay.error, '/body/to')}>
            {field => (
              <TextInput {...field} type="number" min={1} value={to} onChange={event => setTo(event.target.value)} />
            )}
          </Field>
          {replay.error && !isToldAt(replay.error, FIELDS) && <FailureNote error={replay.error} />}
        </form>
      </Dialog>
    </>
  )
}
