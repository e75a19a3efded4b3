import { useQueries, useQuery } from '@tanstack/react-query'
import type { Procedure, Query } from 'caseworker'
import { useEffect, useState } from 'react'
import { useConfig, useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { givenIdentity, nameOfCustomer } from '../parts/customer/customer-name.ts'
import type { Destination } from './destinations.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const NUMBER = /^\+?[\d\s().-]{7,40}$/
const KEY_LENGTH_MIN = 2
/** Two letters or digits, and no more than a search takes. */
const NAME = /^(?=.*[\p{L}\p{N}].*[\p{L}\p{N}]).{2,200}$/u
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

/** The query that finds a process by an id or a primary key; undefined: there is nothing to look for. */
function whereOf({ primaryKey, attributes }: Procedure, text: string): Query | undefined {
  if (UUID.test(text)) return { id: text.toLowerCase() }
  if (primaryKey === null || text.length < KEY_LENGTH_MIN) return undefined
  const type = attributes.find(({ shortId }) => shortId === primaryKey)?.type ?? 'string'
  if (!/integer|float/.test(type)) return /\s/.test(text) ? undefined : { [primaryKey]: text }
  return /^\d{1,15}$/.test(text) ? { [primaryKey]: Number(text) } : undefined
}

/** Processes and customers that a text names: by id, primary key, phone number, e-mail address, or the customer's name. */
export function useFoundById(typed: string): Destination[] {
  const may = useMay()
  const text = usePaused(typed)
  const mayRead = may('process:read')
  const procedures = useConfig()?.procedures ?? []
  const searched = procedures.flatMap(procedure => {
    const where = mayRead ? whereOf(procedure, text) : undefined
    return where === undefined ? [] : [{ procedure, where }]
  })
  const answers = useQueries({
    queries: searched.map(({ procedure, where }) =>
      read('listProcesses', { path: { procedureShortId: procedure.shortId }, body: { where, limit: 1 } }),
    ),
  })
  const isAddress = text.includes('@') && text.length > KEY_LENGTH_MIN
  const isNumber = NUMBER.test(text)
  const isName = !isAddress && !isNumber && NAME.test(text) && !UUID.test(text)
  const byIdentity = isAddress ? { email: text } : { phone: text }
  const customers = useQuery({
    ...read('listRecords', { query: isName ? { search: text, limit: CUSTOMERS_MAX } : byIdentity }),
    enabled: mayRead && (isAddress || isNumber || isName),
  })
  const processes = answers.flatMap(({ data }, nth): Destination[] => {
    const [process] = data?.data ?? []
    const procedure = searched[nth]?.procedure
    if (!process || !procedure) return []
    const key = procedure.primaryKey === null ? undefined : process.data[procedure.primaryKey]
    const href = `/procedure/${encodeURIComponent(procedure.shortId)}/process/${process.id}`
    const customer = process.record && nameOfCustomer(process.record)
    const label = [String(key ?? process.id), ...(customer ? [customer] : [])].join(', ')
    const state = procedure.states.find(({ shortId }) => shortId === process.state)?.name ?? process.state
    return [{ key: process.id, label, kind: `${procedure.name}, ${state}`, icon: 'list', href }]
  })
  const people = (customers.data?.data ?? []).map((customer): Destination => {
    const identity = givenIdentity(customer, 'phone') ?? givenIdentity(customer, 'email')
    const name = nameOfCustomer(customer)
    const known = isName ? identity && String(identity.value) : text
    const label = known === undefined || known === name ? name : `${name}, ${known}`
    return { key: customer.id, label, kind: 'Customer', icon: 'people', href: `/customer/${customer.id}` }
  })
  const digits = NUMBER.test(text) && may('message:read') ? text.replace(/\D/g, '') : ''
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
  return [
    ...processes,
    ...people,
    ...messages,
    ...(UUID.test(text) && processes.length === 0 ? byIdAlone(text, may) : []),
  ]
}

const ID_OF = [
  { noun: 'Request', needs: 'key:read', icon: 'request', at: '/request/' },
  { noun: 'Customer', needs: 'process:read', icon: 'people', at: '/customer/' },
  { noun: 'Job', needs: 'job:read', icon: 'job', at: '/background-job/' },
  { noun: 'Message', needs: 'message:read', icon: 'message', at: '/message/' },
  { noun: 'Webhook', needs: 'webhook:read', icon: 'webhook', at: '/webhook/' },
  { noun: 'Plugin', needs: 'config:read', icon: 'plugin', at: '/plugin/' },
] as const

/** What an id may also be of. Whether it is, the page says. */
const byIdAlone = (id: string, may: (permission: string) => boolean): Destination[] =>
  ID_OF.filter(({ needs }) => may(needs)).map(({ noun, icon, at }) => ({
    key: `${noun} ${id}`,
    label: id,
    kind: `${noun} with this id`,
    icon,
    href: at + id,
  }))
