import type { Plugin } from 'caseworker'
import { Badge } from '../parts/badge.tsx'

export function PluginState({ plugin }: { plugin: Plugin }) {
  const { status, stoppedPhoneNumbers, phoneNumbers, areSecretsReadable } = plugin
  if (!areSecretsReadable) return <Badge tone="bad">Secrets can’t be read: enter them anew</Badge>
  if (status === 'STOPPED') return <Badge tone="bad">Stopped</Badge>
  const { length } = stoppedPhoneNumbers
  if (length > 0) return <Badge tone="warn">{`${length} of ${phoneNumbers.length} numbers stopped`}</Badge>
  return <Badge tone="good">Active</Badge>
}
