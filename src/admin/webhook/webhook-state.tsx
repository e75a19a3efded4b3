import type { Webhook } from 'caseworker'
import { Badge } from '../parts/badge.tsx'
import { Time } from '../parts/time/time.tsx'

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { enabled, disabledAt, failingSince, isSecretReadable } = webhook
  if (!isSecretReadable) return <Badge tone="bad">Secret can’t be read</Badge>
  if (!enabled) return disabledAt === null ? <Badge>Off</Badge> : <Badge tone="bad">Disabled after failures</Badge>
  if (failingSince === null) return <Badge tone="good">On</Badge>
  return (
    <Badge tone="warn">
      Failing since <Time at={failingSince} />
    </Badge>
  )
}
