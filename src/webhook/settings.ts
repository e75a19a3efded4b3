import type { AddressPolicy } from './address-rules.ts'

interface AddressSettings {
  WEBHOOK_PORTS: string
  WEBHOOK_LOCAL_ADDRESSES: string
}

const PORT_MAX = 65_535

/** Throws if a setting is wrong: one that is neither true nor false might open what is meant to be closed. */
export function readAddressPolicy({ WEBHOOK_PORTS, WEBHOOK_LOCAL_ADDRESSES }: AddressSettings): AddressPolicy {
  if (WEBHOOK_LOCAL_ADDRESSES !== 'true' && WEBHOOK_LOCAL_ADDRESSES !== 'false')
    throw new Error('the setting WEBHOOK_LOCAL_ADDRESSES must be true or false')
  const ports = (WEBHOOK_PORTS ?? '').split(',').map(port => (port.trim() === '' ? Number.NaN : Number(port)))
  if (!ports.every(port => Number.isInteger(port) && port > 0 && port <= PORT_MAX))
    throw new Error('the setting WEBHOOK_PORTS must be port numbers, such as 443,8443')
  return { ports, allowsLocal: WEBHOOK_LOCAL_ADDRESSES === 'true' }
}

const TIMEOUT_MS_MAX = 30_000

export function webhookTimeoutMs({ WEBHOOK_TIMEOUT_MS }: { WEBHOOK_TIMEOUT_MS: string }): number {
  const ms = Number(WEBHOOK_TIMEOUT_MS)
  if (ms > 0 && ms <= TIMEOUT_MS_MAX) return ms
  throw new Error(`the setting WEBHOOK_TIMEOUT_MS must be a number above 0 and at most ${TIMEOUT_MS_MAX}`)
}
