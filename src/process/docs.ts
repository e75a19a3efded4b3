import type * as z from 'zod'
import { RUNNER_EXAMPLE } from '../background-job/examples.ts'
import { CALLER_EXAMPLE, type DocsByType, NOBODY_EXAMPLE } from '../event/docs.ts'
import type { ResponseDocs, RouteDocs } from '../http/openapi/route-docs.ts'
import { Warnings } from '../http/response/warnings.ts'
import type { processEvents } from './events.ts'
import { BlameByField } from './history/schema.ts'
import { type CreateProcess, Process, PurgedProcess } from './schema.ts'

const tag = 'Processes'

export const PROCESS_EXAMPLE: Process = {
  id: '01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f',
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  procedure: '01935c1e-5a00-7003-9b5c-2d3e4f5a6b7c',
  procedureShortId: 'lead',
  record: {
    id: '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d',
    data: { phone_number: '919448300007', name: 'Asha Rao' },
    createdAt: 1795276206000,
    updatedAt: 1795276206000,
  },
  status: 'OPEN',
  state: 'NEW',
  nextActionAt: 1795362606000,
  assignedTo: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  createdBy: '01935c1e-5a00-7005-9d7e-4f5a6b7c8d9e',
  completedAt: 0,
  data: { lead_id: 'LEAD-7', city: 'Pune', score: 80 },
  isDeleted: false,
}
const CHANGED: Process = {
  ...PROCESS_EXAMPLE,
  state: 'CONTACTED',
  data: { lead_id: 'LEAD-7', city: 'Pune', score: 85 },
}

const aProcess = (description: string, data: Process): ResponseDocs => ({
  description,
  data: Process,
  headers: ['ETag'],
  example: { data },
})
const aChanged = (description: string, data: Process): ResponseDocs => ({
  ...aProcess(description, data),
  meta: { warnings: Warnings },
})
const created: ResponseDocs = { ...aChanged('The new process.', PROCESS_EXAMPLE), headers: ['ETag', 'Location'] }

const NEW = {
  data: { lead_id: 'LEAD-7', city: 'Pune', score: 80 },
  record: { data: { phone_number: '919448300007', name: 'Asha Rao' } },
  assignedTo: 'meera',
  nextActionAt: 1795362606000,
} satisfies z.input<typeof CreateProcess>

const RECORD =
  '`record` is [the customer](/docs/customers#the-customer-of-a-process): by `id`, or by `data` with a phone number or an e-mail address that identifies one; where nobody has it, a new record is made. The data is merged. `null`: the process is nobody’s.'

const UPDATE = `Only the fields and attributes that are sent are changed; \`null\` removes an attribute.
Concurrent updates of different attributes all survive. With \`if-match\`, the process is updated only if it has not changed since it was fetched.

${RECORD}`

const FETCH = {
  tag,
  description: `With \`if-none-match\`, an unchanged process is not sent again.

With \`asOf\`, the process as it was at a time, or as a version; a version shows the customer as it was when the version was made. Before it was created, and while it was deleted, it is not found. See [history](/docs/history).`,
  responses: {
    200: { ...aProcess('The process.', PROCESS_EXAMPLE), meta: { blame: BlameByField } },
    304: { description: 'Not modified.', headers: ['ETag'] },
  },
  errors: ['not_found', 'history_expired', 'storage_damaged'],
  headers: ['If-None-Match'],
} satisfies RouteDocs
const CHANGE = {
  tag,
  description: UPDATE,
  responses: { 200: aChanged('The updated process.', CHANGED) },
  errors: ['not_found', 'conflict', 'duplicate_primary_key', 'transition_not_allowed'],
  example: { state: 'CONTACTED', data: { score: 85 } },
} satisfies RouteDocs
const REMOVE = {
  tag,
  description:
    'A deleted process is not found and not listed, and its primary key is free again. `POST …/restore` restores it.',
  responses: { 200: aProcess('The deleted process.', { ...PROCESS_EXAMPLE, isDeleted: true }) },
  errors: ['not_found', 'conflict'],
} satisfies RouteDocs

export const processDocs = {
  getProcessById: FETCH,
  getProcessByPrimaryKey: FETCH,
  updateProcessById: CHANGE,
  updateProcessByPrimaryKey: CHANGE,
  deleteProcessById: {
    ...REMOVE,
    description: `${REMOVE.description}

With \`purge=true\` nothing restores it: the process is removed, live or from the trash, and every value of it in history, events, search, deliveries of webhooks and jobs. Numbers, types, times and authors of its events stay, and of a \`process.next_action_due\` also the time that had come. That needs the permission \`process:purge\`, which admins have. [What remains](/docs/customers#purging-a-process).`,
    responses: {
      200: REMOVE.responses[200],
      202: {
        description: 'With `purge=true`: the process is gone, and what follows from it goes in steps.',
        data: PurgedProcess,
        example: { data: { id: PROCESS_EXAMPLE.id, isComplete: false } },
      },
    },
  },
  deleteProcessByPrimaryKey: REMOVE,
  createProcess: {
    tag,
    description: `Only the required attributes of the procedure are required. The default of \`status\` is OPEN, and of \`state\` the procedure's start state.

${RECORD}`,
    responses: { 201: created },
    errors: ['not_found', 'conflict', 'duplicate_primary_key'],
    example: NEW,
  },
  createOrUpdateProcess: {
    tag,
    description:
      'Updates the process with the primary key in `data`, or creates it. Repeating the request has no further effect. The procedure must have a primary key.' +
      `\n\n${RECORD}`,
    responses: { 200: aChanged('The updated process.', CHANGED), 201: created },
    errors: ['not_found', 'conflict', 'duplicate_primary_key', 'transition_not_allowed'],
    example: { data: { lead_id: 'LEAD-7', score: 85 }, state: 'CONTACTED' },
  },
  restoreProcess: {
    tag,
    description:
      'Restores a deleted process as it was. Refused if its primary key was taken meanwhile, if its state was removed, or if an indexed value no longer fits the definition.',
    responses: { 200: aProcess('The restored process.', PROCESS_EXAMPLE) },
    errors: ['not_found', 'conflict', 'duplicate_primary_key'],
  },
} satisfies Record<string, RouteDocs>

export const processEventDocs: DocsByType<typeof processEvents> = {
  'process.created': {
    description: 'A process was created, by a call or by a job.',
    sequence: 5_016,
    data: { process: PROCESS_EXAMPLE, version: 1, changes: [] },
    by: CALLER_EXAMPLE,
  },
  'process.updated': {
    description: 'A process was changed, by a call or by a job.',
    sequence: 5_017,
    data: {
      process: CHANGED,
      version: 4,
      changes: [
        { field: 'state', from: 'NEW', to: 'CONTACTED' },
        { field: 'data.score', from: 80, to: 85 },
      ],
    },
    by: CALLER_EXAMPLE,
  },
  'process.deleted': {
    description: 'A process was deleted.',
    sequence: 5_018,
    data: { process: { ...CHANGED, isDeleted: true }, version: 4, changes: [] },
    by: { ...RUNNER_EXAMPLE, entry: 0 },
  },
  'process.restored': {
    description: 'A deleted process was restored.',
    sequence: 5_019,
    data: { process: CHANGED, version: 5, changes: [] },
    by: CALLER_EXAMPLE,
  },
  'process.next_action_due': {
    description: 'The `nextActionAt` of an open process has come. Once for each value.',
    sequence: 5_020,
    data: { process: CHANGED, version: 5, changes: [], nextActionAt: 1795362606000 },
    by: NOBODY_EXAMPLE,
  },
}
