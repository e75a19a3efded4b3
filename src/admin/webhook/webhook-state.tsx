import type { IssuedWebhook, Webhook } from 'caseworker'
import { Badge } from '../parts/badge.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time.tsx'

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { enabled, disabledAt, failingSince, isSecretReadable } = webhook
  if (!isSecretReadable) return <Badge tone="bad">Secret can’t be read</Badge>
  if (!enabled) return disabledAt === null ? <Badge>Off</Badge> : <Badge tone="bad">Disabled</Badge>
  if (failingSince === null) return <Badge tone="good">On</Badge>
  return (
    <Badge tone="warn">
      Failing since <Time at={failingSince} />
    </Badge>
  )
}

/** Shows the secret that signs each request. */
export const IssuedSecret = ({ issued, onClose }: { issued: IssuedWebhook | undefined; onClose: () => void }) => (
  <ShownOnce
    title="The secret of the webhook"
    note="The receiver verifies with it that a request comes from here. Copy it now: it is shown this once."
    label="Secret"
    secret={issued?.secret}
    kept="I have saved it"
    onClose={onClose}
  >
    <p className="mt-3 text-ink-2">
      <a href="/docs/events" target="_blank" rel="noreferrer" className="underline">
        Receivers in TypeScript and Python
      </a>{' '}
      are in the guide.
    </p>
  </ShownOnce>
)
