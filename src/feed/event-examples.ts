import { JOB_EXAMPLE } from '../background-job/examples.ts'
import { CUSTOMER_EXAMPLE, MERGED_EXAMPLE } from '../customer/docs.ts'
import type { EventAuthor } from '../event/author.ts'
import type { EventType } from '../event/types.ts'
import { RECEIVED_MESSAGE_EXAMPLE, STORED_MESSAGE_EXAMPLE } from '../message/docs.ts'
import { PLUGIN_EXAMPLE, TEMPLATE_EXAMPLE } from '../plugin/docs.ts'
import { PROCESS_EXAMPLE } from '../process/docs.ts'
import type { EventData } from './event-data.ts'
import { WEBHOOK_SNAPSHOT_EXAMPLE } from './webhook-events.ts'

type EventExamples = {
  [Type in EventType]: {
    id: string
    sequence: number
    type: Type
    timestamp: string
    team: string
    data: EventData<Type>
    by: EventAuthor
  }
}

const of = (sequence: number) => ({
  id: `evt_1c2d3e4f5a6b_${sequence}_mhc3v0a4`,
  sequence,
  timestamp: '2026-11-21T17:50:06.000Z',
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
})

const nobody: EventAuthor = { user: null, apiKey: null, session: null, request: null, job: null, entry: null }
const request: EventAuthor = {
  ...nobody,
  user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  apiKey: '01935c1e-5a00-7002-a1b2-c3d4e5f60718',
  session: null,
  request: '5d0f6c1e-0f5b-4a0e-9d5e-2a4f5b6c7d8e',
}
const job: EventAuthor = { ...nobody, user: JOB_EXAMPLE.createdBy, job: JOB_EXAMPLE.id }

const CONTACTED = { ...PROCESS_EXAMPLE, state: 'CONTACTED', data: { ...PROCESS_EXAMPLE.data, score: 85 } }
const changed = {
  process: CONTACTED,
  version: 4,
  changes: [
    { field: 'state', from: 'NEW', to: 'CONTACTED' },
    { field: 'data.score', from: 80, to: 85 },
  ],
}
const { webhookUrl: _, areSecretsReadable: __, ...PLUGIN } = PLUGIN_EXAMPLE
const WHY = 'the provider refuses the account (131042): there is a problem with the payment'
const DISABLED = { enabled: false, disabledAt: 1795276206000, disabledReason: 'gone' }
const COUNTS = { INVALID: 0, NOT_STARTED: 0, IN_PROGRESS: 0, SUCCESS: 1, ERROR: 0, CANCELLED: 0 }

/** An event of each type. */
export const EVENT_EXAMPLES: EventExamples = {
  'process.created': {
    ...of(5_016),
    type: 'process.created',
    data: { process: PROCESS_EXAMPLE, version: 1, changes: [] },
    by: request,
  },
  'process.updated': { ...of(5_017), type: 'process.updated', data: changed, by: request },
  'process.deleted': {
    ...of(5_018),
    type: 'process.deleted',
    data: { process: { ...CONTACTED, isDeleted: true }, version: 4, changes: [] },
    by: { ...job, entry: 0 },
  },
  'process.restored': {
    ...of(5_019),
    type: 'process.restored',
    data: { process: CONTACTED, version: 5, changes: [] },
    by: request,
  },
  'process.next_action_due': {
    ...of(5_020),
    type: 'process.next_action_due',
    data: { process: CONTACTED, version: 5, changes: [], nextActionAt: 1795362606000 },
    by: nobody,
  },
  'record.updated': {
    ...of(5_021),
    type: 'record.updated',
    data: {
      id: CUSTOMER_EXAMPLE.id,
      record: CUSTOMER_EXAMPLE,
      version: 2,
      changes: [{ field: 'data.name', from: null, to: 'Asha Rao' }],
    },
    by: request,
  },
  'record.merged': {
    ...of(5_030),
    type: 'record.merged',
    data: {
      id: CUSTOMER_EXAMPLE.id,
      merged: MERGED_EXAMPLE.into,
      record: CUSTOMER_EXAMPLE,
      version: 3,
      changes: [{ field: 'data.city', from: null, to: 'Pune' }],
    },
    by: request,
  },
  'record.erased': { ...of(5_022), type: 'record.erased', data: { id: CUSTOMER_EXAMPLE.id }, by: request },
  'background_job.completed': {
    ...of(5_023),
    type: 'background_job.completed',
    data: {
      id: JOB_EXAMPLE.id,
      backgroundJob: {
        ...JOB_EXAMPLE,
        updatedAt: 1795276206900,
        completedAt: 1795276206900,
        completionStatus: 'SUCCESS',
        statusMessage: 'All of 1 entry succeeded',
      },
      bjEntryCompletionStatusVsCount: COUNTS,
    },
    by: job,
  },
  'message.received': {
    ...of(5_024),
    type: 'message.received',
    data: { id: RECEIVED_MESSAGE_EXAMPLE.id, message: RECEIVED_MESSAGE_EXAMPLE },
    by: nobody,
  },
  'message.status_changed': {
    ...of(5_025),
    type: 'message.status_changed',
    data: { id: STORED_MESSAGE_EXAMPLE.id, message: STORED_MESSAGE_EXAMPLE, from: 'PENDING', to: 'SENT' },
    by: nobody,
  },
  'plugin.stopped': {
    ...of(5_026),
    type: 'plugin.stopped',
    data: {
      id: PLUGIN.id,
      plugin: { ...PLUGIN, status: 'STOPPED', statusMessage: WHY, stoppedAt: 1795276206000 },
      isAccount: true,
      phoneNumbers: [],
      statusMessage: WHY,
    },
    by: nobody,
  },
  'plugin.resumed': {
    ...of(5_027),
    type: 'plugin.resumed',
    data: { id: PLUGIN.id, plugin: PLUGIN, isAccount: true, phoneNumbers: [], statusMessage: null },
    by: request,
  },
  'template.changed': {
    ...of(5_028),
    type: 'template.changed',
    data: {
      id: TEMPLATE_EXAMPLE.id,
      template: TEMPLATE_EXAMPLE,
      plugin: PLUGIN.id,
      name: TEMPLATE_EXAMPLE.name,
      language: TEMPLATE_EXAMPLE.language,
      from: 'PENDING',
      to: 'APPROVED',
    },
    by: nobody,
  },
  'webhook.disabled': {
    ...of(5_029),
    type: 'webhook.disabled',
    data: { id: WEBHOOK_SNAPSHOT_EXAMPLE.id, webhook: { ...WEBHOOK_SNAPSHOT_EXAMPLE, ...DISABLED } },
    by: nobody,
  },
}
