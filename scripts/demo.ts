import { LOCAL_ACCOUNT } from '../test/whatsapp/defaults.ts'

/** The demo team. It is made through the API, like any other. */
const MONTH_MS = 30 * 24 * 60 * 60 * 1000

const users = [
  {
    username: 'meera',
    email: 'meera@demo.example',
    firstName: 'Meera',
    lastName: 'Iyer',
    role: 'manager',
    timezone: '+0530',
  },
  {
    username: 'jonas',
    email: 'jonas@demo.example',
    firstName: 'Jonas',
    lastName: 'Weber',
    role: 'agent',
    timezone: '+0100',
    manager: 'meera',
  },
  {
    username: 'lucia',
    email: 'lucia@demo.example',
    firstName: 'Lucía',
    lastName: 'Ortega',
    role: 'agent',
    timezone: '-0500',
    manager: 'meera',
  },
  {
    username: 'auditor',
    email: 'audit@demo.example',
    firstName: 'Ada',
    lastName: 'Okafor',
    role: 'viewer',
    timezone: '+0000',
  },
]

const state = (shortId: string, name: string, ...next: string[]) =>
  next.length > 0 ? { shortId, name, next } : { shortId, name }

export const procedures = {
  lead: {
    name: 'Lead',
    startState: 'NEW',
    completedState: 'WON',
    primaryKey: 'lead_id',
    phoneAttribute: 'phone_number',
    states: [
      state('NEW', 'New'),
      state('CONTACTED', 'Contacted'),
      state('IN_PROGRESS', 'In progress'),
      state('WON', 'Won'),
      state('LOST', 'Lost'),
    ],
    attributes: [
      { shortId: 'lead_id', name: 'Lead id', type: 'string', required: true },
      { shortId: 'name', name: 'Name', type: 'name' },
      { shortId: 'phone_number', name: 'Phone number', type: 'phone', indexed: true },
      { shortId: 'email', name: 'E-mail', type: 'email', indexed: true },
      { shortId: 'city', name: 'City', type: 'string', indexed: true },
      { shortId: 'score', name: 'Score', type: 'integer', indexed: true },
      {
        shortId: 'source',
        name: 'Source',
        type: 'stringEnum',
        indexed: true,
        values: ['website', 'referral', 'campaign', 'walk_in'],
      },
      { shortId: 'interests', name: 'Interests', type: 'multiStringEnum', values: ['loan', 'insurance', 'card'] },
      { shortId: 'notes', name: 'Notes', type: 'text' },
    ],
  },
  ticket: {
    name: 'Ticket',
    startState: 'OPENED',
    completedState: 'SOLVED',
    primaryKey: 'ticket_id',
    strict: true,
    states: [
      state('OPENED', 'Opened', 'ASSIGNED', 'SOLVED'),
      state('ASSIGNED', 'Assigned', 'WAITING', 'SOLVED'),
      state('WAITING', 'Waiting for the customer', 'ASSIGNED', 'SOLVED'),
      state('SOLVED', 'Solved', 'ASSIGNED'),
    ],
    attributes: [
      { shortId: 'ticket_id', name: 'Ticket id', type: 'integer', required: true },
      { shortId: 'subject', name: 'Subject', type: 'string', required: true },
      { shortId: 'priority', name: 'Priority', type: 'integerEnum', indexed: true, values: [1, 2, 3, 4] },
      { shortId: 'due', name: 'Due', type: 'datetime', indexed: true },
    ],
  },
  fieldvisit: {
    name: 'Field visit',
    startState: 'PLANNED',
    completedState: 'VISITED',
    primaryKey: 'fieldvisit_id',
    states: [
      state('PLANNED', 'Planned'),
      state('ON_THE_WAY', 'On the way'),
      state('VISITED', 'Visited'),
      state('NOBODY_HOME', 'Nobody home'),
    ],
    attributes: [
      { shortId: 'fieldvisit_id', name: 'Visit id', type: 'string' },
      { shortId: 'address', name: 'Address', type: 'text' },
      { shortId: 'place', name: 'Place', type: 'geolocation' },
      { shortId: 'day', name: 'Day', type: 'date', indexed: true },
      { shortId: 'photo', name: 'Photo', type: 'photo' },
    ],
  },
  case: {
    name: 'Case',
    startState: 'RECEIVED',
    completedState: 'CLOSED',
    states: [state('RECEIVED', 'Received'), state('REVIEW', 'In review'), state('CLOSED', 'Closed')],
    attributes: [
      { shortId: 'summary', name: 'Summary', type: 'text' },
      { shortId: 'amount', name: 'Amount', type: 'float', indexed: true },
      { shortId: 'urgent', name: 'Urgent', type: 'boolean', indexed: true },
    ],
  },
}

const leads = [
  ['LEAD-000001', 'Asha Rao', '919448300001', 'Pune', 72, 'website', 'meera'],
  ['LEAD-000002', 'Tomás Silva', '551199300002', 'São Paulo', 55, 'referral', 'lucia'],
  ['LEAD-000003', 'Ingrid Berg', '4791230003', 'Oslo', 91, 'campaign', 'jonas'],
  ['LEAD-000004', 'Kofi Mensah', '233244300004', 'Accra', 38, 'walk_in', 'jonas'],
  ['LEAD-000005', 'Mei Tanaka', '819012300005', 'Osaka', 64, 'website', 'lucia'],
] as const

const caller = (url: string, token: string) => async (method: string, path: string, body?: unknown) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const envelope = (await response.json()) as { _data: { id?: string }; _errors: string[] }
  // 409: an earlier start was interrupted after this had been created.
  if (!response.ok && response.status !== 409) throw new Error(`${method} ${path}: ${envelope._errors.join('; ')}`)
  return envelope._data
}

/** A plugin that uses the emulated provider: messages are sent to it, and become READ. */
export async function seedMessaging(url: string, provider: string, token: string): Promise<void> {
  const call = caller(url, token)
  const { id: wabaId, accessToken, appSecret, verifyToken, phoneNumbers } = LOCAL_ACCOUNT
  const plugin = await call('POST', '/v1/ext/plugin/whatsapp', {
    ...{
      name: 'WhatsApp of the demo team',
      businessAccountId: wabaId,
      accessToken,
      appSecret,
      verifyToken,
      phoneNumbers,
    },
  })
  await call('POST', `/v1/ext/plugin/whatsapp/${plugin.id}/sync-templates`)
  await fetch(`${provider}/control/accounts/${wabaId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ phoneNumbers, callbackUrl: `${url}/webhooks/whatsapp/${plugin.id}` }),
  })
}

export async function seedDemo(url: string, token: string): Promise<void> {
  const call = caller(url, token)
  for (const user of users) await call('POST', '/v1/ext/user', user)
  for (const [shortId, procedure] of Object.entries(procedures))
    await call('PUT', `/v1/ext/procedure/${shortId}`, procedure)
  const soon = Date.now() + MONTH_MS
  for (const [lead_id, name, phone_number, city, score, source, assignedTo] of leads)
    await call('POST', '/v1/ext/procedure/lead/process', {
      data: { lead_id, name, phone_number, city, score, source },
      record: { data: { phone_number, name } },
      assignedTo,
      nextActionAt: soon,
    })
  await call('POST', '/v1/ext/procedure/ticket/process', {
    data: { ticket_id: 1, subject: 'The card reader is silent', priority: 2 },
  })
  await call('POST', '/v1/ext/procedure/fieldvisit/process', {
    data: { fieldvisit_id: 'FV-1', address: '12 Harbour Street', place: [59.91, 10.75] },
  })
  await call('POST', '/v1/ext/procedure/case/process', {
    data: { summary: 'A refund that never came', amount: 49.5, urgent: true },
  })
}
