import { useNavigate } from '@tanstack/react-router'
import type { IssuedWebhook, Webhook } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { Button } from '../parts/button.tsx'
import { Question } from '../parts/dialog.tsx'
import { Menu } from '../parts/menu.tsx'
import { useNotes } from '../parts/notes.tsx'
import { Time } from '../parts/time/time.tsx'
import { usePageActions } from '../shell/page-actions.ts'

interface WebhookActionsProps {
  webhook: Webhook
  onChange: () => void
  onIssued: (issued: IssuedWebhook) => void
}

/** Test, change, switch, rotate, delete. */
export function WebhookActions({ webhook, onChange, onIssued }: WebhookActionsProps) {
  const may = useMay()
  const navigate = useNavigate()
  const { tell } = useNotes()
  const [asked, setAsked] = useState<'rotate' | 'delete'>()
  const close = () => setAsked(undefined)
  const path = { webhookId: webhook.id }
  const areTwo = (webhook.previousSecretUntil ?? 0) > Date.now()
  const test = useChange('testWebhook', {
    rereads: ['listWebhookDeliveries'],
    onDone: ({ data: { isDelivered, status, ms, error } }) =>
      tell(isDelivered ? `Accepted with ${status} in ${ms} ms` : `Not accepted: ${error ?? status}`),
  })
  const update = useChange('updateWebhook', {
    rereads: ['getWebhook', 'listWebhooks'],
    done: ({ data }) => (data.enabled ? 'Switched on: what happened meanwhile is sent now' : 'Switched off'),
  })
  const rotate = useChange('rotateWebhookSecret', {
    rereads: ['getWebhook'],
    onDone: ({ data }) => {
      close()
      onIssued(data)
    },
  })
  const remove = useChange('deleteWebhook', {
    rereads: ['listWebhooks'],
    done: 'The webhook is deleted',
    onDone: () => void navigate({ to: '/webhook' }),
  })
  const mayWrite = may('webhook:write')
  const sendTest = () => test.mutate({ path })
  const turn = () => update.mutate({ path, body: { enabled: !webhook.enabled } })
  const turned = webhook.enabled
    ? ({ label: 'Switch off', icon: 'pause' } as const)
    : ({ label: 'Switch on', icon: 'play' } as const)
  const more = [
    { label: 'Change …', icon: 'edit', act: onChange },
    { label: 'Rotate the secret …', icon: 'key', act: () => setAsked('rotate') },
    { label: 'Delete …', icon: 'trash', isDanger: true, act: () => setAsked('delete') },
  ] as const
  usePageActions(
    mayWrite ? [{ label: 'Send a test', icon: 'send', act: sendTest }, { ...turned, act: turn }, ...more] : [],
  )
  if (!mayWrite) return null
  return (
    <>
      <Button icon="send" isPending={test.isPending} onClick={sendTest}>
        Send a test
      </Button>
      <Button icon={turned.icon} isPending={update.isPending} onClick={turn}>
        {turned.label}
      </Button>
      <Menu trigger={<Button icon="more">More</Button>} items={more} />
      <Question
        title="Rotate the secret?"
        confirm="Rotate"
        isOpen={asked === 'rotate'}
        isPending={rotate.isPending}
        onClose={close}
        onConfirm={() => rotate.mutate({ path, body: areTwo ? { overlapSeconds: 0 } : {} })}
      >
        {areTwo ? (
          <>
            Two secrets sign now, until <Time at={webhook.previousSecretUntil} />. A new one ends both at once: until
            the receiver has it, it refuses what is sent, and that is sent again later.
          </>
        ) : (
          <>
            A new secret is created and shown once. For 24 hours each request has two signatures, by the old secret and
            by the new one; a receiver accepts it if either fits. So it can be changed meanwhile, and nothing is lost.
          </>
        )}
      </Question>
      <Question
        title="Delete this webhook?"
        confirm="Delete"
        isOpen={asked === 'delete'}
        isPending={remove.isPending}
        onClose={close}
        onConfirm={() => remove.mutate({ path })}
      >
        Nothing more is sent to <b>{webhook.url}</b>, and what is waiting is dropped. Its deliveries are forgotten. This
        can’t be undone.
      </Question>
    </>
  )
}
