import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useConfig, useMay } from '../api/me.ts'
import { getStateName } from '../api/procedure.ts'
import { read } from '../api/read.ts'
import { findIdentity, formatCustomerName } from '../parts/customer/customer-name.ts'
import type { IconName } from '../parts/icon.tsx'
import { formatMessage } from '../parts/message/message-text.ts'
import { formatPhone } from '../parts/message/phone-number.ts'
import type { Destination } from './destinations.ts'
import { buildProcessSearches, getProcessPerson, getTextKind } from './process-search.ts'

const CUSTOMERS_MAX = 8
const TYPED_MS = 250

/** The text as it was when the typing paused. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text.trim()), TYPED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

/** Finds processes and customers by id, key, phone number, e-mail address or name, and anything else by its id. */
export function useFoundById(typed: string): Destination[] {
  const may = useMay()
  const text = usePaused(typed)
  const kind = getTextKind(text)
  const mayRead = may('process:read')
  const procedures = useConfig()?.procedures ?? []
  const searches = mayRead ? buildProcessSearches(procedures, text) : []
  const answers = useQueries({
    queries: searches.map(({ procedure, body }) =>
      read('listProcesses', { path: { procedureShortId: procedure.shortId }, body }),
    ),
  })
  const byIdentity = kind === 'address' ? { email: text } : { phone: text }
  const customers = useQuery({
    ...read('listRecords', { query: kind === 'name' ? { search: text, limit: CUSTOMERS_MAX } : byIdentity }),
    enabled: mayRead && (kind === 'address' || kind === 'number' || kind === 'name'),
  })
  const byUuid = useFoundByUuid(kind === 'id' ? text.toLowerCase() : undefined)
  const processes = answers.flatMap(({ data }, nth): Destination[] => {
    const procedure = searches[nth]?.procedure
    if (!procedure) return []
    return (data?.data ?? []).map(process => {
      const key = procedure.primaryKey === null ? undefined : process.data[procedure.primaryKey]
      const person = getProcessPerson(procedure, process)
      return {
        key: process.id,
        label: [String(key ?? process.id), ...(person === undefined ? [] : [person])].join(', '),
        kind: `${procedure.name}, ${getStateName(procedure, process.state)}`,
        icon: 'list',
        href: `/procedure/${encodeURIComponent(procedure.shortId)}/process/${process.id}`,
      }
    })
  })
  const people = (customers.data?.data ?? []).map((customer): Destination => {
    const identity = findIdentity(customer, 'phone') ?? findIdentity(customer, 'email')
    const name = formatCustomerName(customer)
    const known = kind === 'name' ? identity && formatPhone(String(identity.value)) : text
    const label = known === undefined || known === name ? name : `${name}, ${known}`
    return { key: customer.id, label, kind: 'Customer', icon: 'people', href: `/customer/${customer.id}` }
  })
  const digits = kind === 'number' && may('message:read') ? text.replace(/\D/g, '') : ''
  const messages: Destination[] = /^\d{7,15}$/.test(digits)
    ? [
        {
          key: 'messages',
          label: `Messages with +${digits}`,
          kind: 'Messages',
          icon: 'message',
          href: `/message?phoneNumber=${digits}`,
        },
      ]
    : []
  // A process may be found by its key and by a name in it.
  const isFirst = ({ key }: Destination, nth: number, all: readonly Destination[]) =>
    all.findIndex(each => each.key === key) === nth
  return [...[...processes, ...people].filter(isFirst), ...messages, ...byUuid]
}

/** Finds objects other than processes by their id: each kind is asked once, and unknown ones are not offered. */
function useFoundByUuid(id = ''): Destination[] {
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
