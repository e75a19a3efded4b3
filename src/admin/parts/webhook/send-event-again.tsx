import type { Webhook } from 'caseworker'
import { useChange } from '../../api/change.ts'
import { useMay } from '../../api/me.ts'
import { Button, IconButton } from '../button.tsx'

/** The text after a replay. Events of other types and procedures are skipped, so fewer may be sent. */
export const describeReplay = (events: number): string =>
  events === 1 ? 'The event is sent again' : `${events.toLocaleString()} events are looked at and sent again`

interface SendEventAgainProps {
  webhook: Webhook
  sequence: number
  isIcon?: boolean
  onDone?: () => void
}

/** Sends one event again, with the id that it had: a receiver that has it already knows it by that. A test has no number. */
export function SendEventAgain({ webhook, sequence, isIcon = false, onDone }: SendEventAgainProps) {
  const may = useMay()
  const replay = useChange('replayWebhook', {
    rereads: ['listWebhookDeliveries'],
    done: ({ data }) => describeReplay(data.events),
    ...(onDone ? { onDone } : {}),
  })
  if (!may('webhook:write') || !webhook.enabled || sequence === 0) return null
  const send = () => replay.mutate({ path: { webhookId: webhook.id }, body: { from: sequence, to: sequence } })
  if (isIcon)
    return (
      <IconButton
        label={`Send event ${sequence.toLocaleString()} again`}
        icon="again"
        disabled={replay.isPending}
        onClick={send}
      />
    )
  return (
    <Button icon="again" isPending={replay.isPending} onClick={send}>
      Send this event again
    </Button>
  )
}
