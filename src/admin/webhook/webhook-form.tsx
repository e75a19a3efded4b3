import type { IssuedWebhook, Webhook } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { EVENT_TYPES, type EventType } from '../api/event-types.ts'
import { useConfig } from '../api/me.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { faultAt, isShownAt } from '../parts/failure.ts'
import { Checkbox, Field, Select, TextInput } from '../parts/field.tsx'
import { FailureNote } from '../parts/states.tsx'

interface WebhookFormProps {
  /** The webhook to change; without it a new one is made. */
  webhook?: Webhook
  onClose: () => void
  onIssued?: (issued: IssuedWebhook) => void
}

const FIELDS = ['/body/url', '/body/description']
const ORDERS = [
  { value: 'any', label: 'Any: a failed event is sent again later, others go on' },
  { value: 'strict', label: 'Strict: nothing passes an event that has not arrived' },
]
const without = <One,>(list: readonly One[], one: One): One[] => list.filter(each => each !== one)

export function WebhookForm({ webhook, onClose, onIssued }: WebhookFormProps) {
  const procedures = useConfig()?.procedures ?? []
  const [url, setUrl] = useState(webhook?.url ?? 'https://')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [order, setOrder] = useState<'any' | 'strict'>(webhook?.order ?? 'any')
  const [types, setTypes] = useState<readonly EventType[]>((webhook?.types ?? []) as EventType[])
  const [chosen, setChosen] = useState<readonly string[]>(webhook?.procedures ?? [])
  const create = useChange('createWebhook', {
    rereads: ['listWebhooks'],
    showsFailure: true,
    onDone: ({ data }) => {
      onClose()
      onIssued?.(data)
    },
  })
  const update = useChange('updateWebhook', {
    rereads: ['listWebhooks', 'getWebhook'],
    showsFailure: true,
    done: 'Saved',
    onDone: onClose,
  })
  const error = create.error ?? update.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = {
      url,
      description,
      order,
      types: types.length === 0 ? null : types,
      procedures: chosen.length === 0 ? null : chosen,
    }
    if (webhook) update.mutate({ path: { webhookId: webhook.id }, body })
    else create.mutate({ body })
  }
  return (
    <Dialog
      title={webhook ? 'Change the webhook' : 'New webhook'}
      isOpen
      onClose={onClose}
      size="medium"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" form="webhook" isPending={create.isPending || update.isPending}>
            {webhook ? 'Save' : 'Create the webhook'}
          </Button>
        </>
      }
    >
      <form id="webhook" onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Address" hint="https, reachable from the internet." error={faultAt(error, '/body/url')}>
          {field => (
            <TextInput {...field} type="url" required value={url} onChange={event => setUrl(event.target.value)} />
          )}
        </Field>
        <Field label="Description" error={faultAt(error, '/body/description')}>
          {field => <TextInput {...field} value={description} onChange={event => setDescription(event.target.value)} />}
        </Field>
        <Field label="Order">
          {field => (
            <Select
              {...field}
              value={order}
              onChange={event => setOrder(event.target.value as typeof order)}
              options={ORDERS}
            />
          )}
        </Field>
        <fieldset>
          <legend className="mb-1 font-medium">Events</legend>
          <p className="mb-2 text-[13px] text-ink-2">None chosen: all of them.</p>
          <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
            {EVENT_TYPES.map(({ about, types: ofIt }) => (
              <div key={about} className="flex flex-col gap-1">
                <span className="text-[13px] text-ink-2">{about}</span>
                {ofIt.map(type => (
                  <Checkbox
                    key={type}
                    label={<code className="text-xs">{type}</code>}
                    checked={types.includes(type)}
                    onChange={({ target }) => setTypes(target.checked ? [...types, type] : without(types, type))}
                  />
                ))}
              </div>
            ))}
          </div>
        </fieldset>
        <fieldset>
          <legend className="mb-1 font-medium">Procedures</legend>
          <p className="mb-2 text-[13px] text-ink-2">Whose processes are told of. None chosen: all of them.</p>
          <div className="flex flex-wrap gap-x-4 gap-y-1">
            {procedures.map(({ id, name }) => (
              <Checkbox
                key={id}
                label={name}
                checked={chosen.includes(id)}
                onChange={({ target }) => setChosen(target.checked ? [...chosen, id] : without(chosen, id))}
              />
            ))}
          </div>
        </fieldset>
        {error && !isShownAt(error, FIELDS) && <FailureNote error={error} />}
      </form>
    </Dialog>
  )
}
