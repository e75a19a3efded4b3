import { connectAccount, EXAMPLES, expireToken, OLD, SOLAR } from './demo/accounts.ts'
import { type Caller, createCaller, type Place } from './demo/caller.ts'
import { makeJobs } from './demo/jobs.ts'
import { makeKeys } from './demo/keys.ts'
import { runCampaigns, sendMessages } from './demo/messages.ts'
import { makeWebhooks } from './demo/webhooks.ts'

/**
 * The data of the examples in README and guides. It is made through the API, like anything of a team, except the past.
 */
const MONTH_MS = 30 * 24 * 60 * 60 * 1000

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

/**
 * Creates the data of the examples, and more to look at: accounts, messages, jobs, webhooks and keys. Each step is
 * printed.
 */
export async function seedTeam(place: Place): Promise<void> {
  const caller = createCaller(place)
  const now = Date.now()
  // The examples use the first account.
  const accounts = [EXAMPLES, SOLAR, OLD].map(account => ({ account, plugin: '' }))
  const getPlugin = (account: object) => accounts.find(each => each.account === account)?.plugin ?? ''
  const steps: [string, () => Promise<unknown>][] = [
    ['processes of the examples', () => seedExamples(caller)],
    [
      'accounts of WhatsApp',
      async () => {
        for (const each of accounts) each.plugin = await connectAccount(caller, place, each.account)
      },
    ],
    ['webhooks', () => makeWebhooks(caller, place)],
    ['API keys', () => makeKeys(caller, now)],
    ['messages', () => sendMessages(caller, getPlugin(SOLAR), getPlugin(OLD))],
    ['jobs', () => expireToken(caller, OLD).then(() => makeJobs(caller, now))],
    ['campaigns', () => runCampaigns(caller, getPlugin(SOLAR), getPlugin(OLD))],
  ]
  for (const [index, [name, run]] of steps.entries()) {
    console.log(`Making the demo team: ${index + 1} of ${steps.length}, ${name}`)
    await run()
  }
}

export async function seedExamples({ call }: Caller): Promise<void> {
  await call('PUT', '/v1/ext/event-feed', { enabled: true })
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
