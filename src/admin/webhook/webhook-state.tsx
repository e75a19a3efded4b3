import type { Webhook } from 'caseworker'
import { Badge } from '../parts/badge.tsx'
import { Time } from '../parts/time/time.tsx'

export function WebhookState({ webhook: { enabled, disabledAt, failingSince } }: { webhook: Webhook }) {
  if (!enabled) return disabledAt === null ? <Badge>Off</Badge> : <Badge tone="bad">Disabled after failures</Badge>
  if (failingSince === null) return <Badge tone="good">On</Badge>
  return (
    <Badge tone="warn">
      Failing since <Time at={failingSince} isRelative />
    </Badge>
  )
}
