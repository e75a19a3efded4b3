import type { Plugin } from 'caseworker'
import { Badge } from '../parts/badge.tsx'

export function PluginState({ plugin: { status, stoppedPhoneNumbers, phoneNumbers } }: { plugin: Plugin }) {
  if (status === 'STOPPED') return <Badge tone="bad">Stopped</Badge>
  const { length } = stoppedPhoneNumbers
  if (length > 0) return <Badge tone="warn">{`${length} of ${phoneNumbers.length} numbers stopped`}</Badge>
  return <Badge tone="good">Active</Badge>
}
