import { useQuery } from '@tanstack/react-query'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { formatCustomerName } from '../parts/customer/customer-name.ts'
import type { IconName } from '../parts/icon.tsx'
import { formatMessage } from '../parts/message/message-text.ts'
import type { Destination } from './destinations.ts'

/** Finds objects other than processes by their id: each kind is asked once, and unknown ones are not offered. */
export function useFoundByUuid(id = ''): Destination[] {
  const may = useMay()
  const ask = (permission: string) => ({ enabled: id !== '' && may(permission) })
  const request = useQuery({ ...read('getRequest', { path: { requestId: id } }), ...ask('key:read') }).data?.data
  const customer = useQuery({ ...read('getRecord', { path: { recordId: id } }), ...ask('process:read') }).data?.data
  const job = useQuery({ ...read('getJob', { path: { backgroundJobId: id } }), ...ask('job:read') }).data?.data
  const message = useQuery({ ...read('getMessage', { path: { messageId: id } }), ...ask('message:read') }).data?.data
  const webhook = useQuery({ ...read('getWebhook', { path: { webhookId: id } }), ...ask('webhook:read') }).data?.data
  const plugin = useQuery({ ...read('getPlugin', { path: { pluginId: id } }), ...ask('config:read') }).data?.data
  const toDestination = (kind: string, icon: IconName, at: string, label: string): Destination => ({
    key: `${kind} ${id}`,
    label,
    kind,
    icon,
    href: `${at}/${id}`,
  })
  const { operation, method, path, status, code } = request ?? {}
  const requestLabel = [operation ?? `${method} ${path}`, status, code].filter(Boolean).join(' ')
  return [
    request && toDestination('Request', 'request', '/request', requestLabel),
    customer && toDestination('Customer', 'people', '/customer', formatCustomerName(customer)),
    job && toDestination('Job', 'job', '/background-job', job.title),
    message && toDestination('Message', 'message', '/message', formatMessage(message)),
    webhook && toDestination('Webhook', 'webhook', '/webhook', webhook.url),
    plugin && toDestination('Plugin', 'plugin', '/plugin', plugin.name),
  ].filter(each => each !== undefined)
}
