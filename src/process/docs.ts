import type { z } from 'zod'
import type { AnswerDocs, RouteDocs } from '../http/openapi/route-docs.ts'
import { type CreateProcess, Process } from './schema.ts'

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

const aProcess = (description: string, data: Process): AnswerDocs => ({
  description,
  data: Process,
  headers: ['ETag'],
  example: { data },
})
const created: AnswerDocs = { ...aProcess('The new process.', PROCESS_EXAMPLE), headers: ['ETag', 'Location'] }

const NEW = {
  data: { lead_id: 'LEAD-7', city: 'Pune', score: 80 },
  record: { data: { phone_number: '919448300007', name: 'Asha Rao' } },
  assignedTo: 'meera',
  nextActionAt: 1795362606000,
} satisfies z.input<typeof CreateProcess>

const UPDATE = `Only what is sent is changed; attributes that are not named in \`data\` stay, and \`null\` removes one.
Concurrent updates of different attributes all survive. With \`if-match\`, nothing is changed unless the process is still the one that was fetched.`

export const createDocs: RouteDocs = {
  id: 'createProcess',
  tag,
  description: `Everything is optional but the attributes that the procedure requires. The status is OPEN and the state the procedure's start state, unless they are sent.

\`record\` is the customer that the process is for: the team's record with the same phone number, else the same e-mail address, is used and enriched, or a new one is made.`,
  answers: { 201: created },
  errors: ['not_found', 'conflict', 'duplicate_primary_key'],
  example: NEW,
}

export const upsertDocs: RouteDocs = {
  id: 'createOrUpdateProcess',
  tag,
  description:
    'Creates the process, or updates the one that has the primary key in `data`. Sent twice, it comes to the same. The procedure must have a primary key.',
  answers: { 200: aProcess('The process, updated.', CHANGED), 201: created },
  errors: ['not_found', 'conflict', 'duplicate_primary_key', 'transition_not_allowed'],
  example: { data: { lead_id: 'LEAD-7', score: 85 }, state: 'CONTACTED' },
}

export const restoreDocs: RouteDocs = {
  id: 'restoreProcess',
  tag,
  description:
    'Brings a deleted process back as it was. Refused where its primary key was taken meanwhile, or where its state is gone.',
  answers: { 200: aProcess('The process, restored.', PROCESS_EXAMPLE) },
  errors: ['not_found', 'conflict', 'duplicate_primary_key'],
}

/** Fetch, update and delete, by id or by primary key. */
export const docsAt = (by: 'Id' | 'PrimaryKey') =>
  ({
    fetch: {
      id: `getProcessBy${by}`,
      tag,
      description: 'With `if-none-match`, a process that has not changed since is not sent again.',
      answers: {
        200: aProcess('The process.', PROCESS_EXAMPLE),
        304: { description: 'It has not changed.', headers: ['ETag'] },
      },
      errors: ['not_found'],
      headers: ['If-None-Match'],
    },
    update: {
      id: `updateProcessBy${by}`,
      tag,
      description: UPDATE,
      answers: { 200: aProcess('The process, updated.', CHANGED) },
      errors: ['not_found', 'conflict', 'duplicate_primary_key', 'transition_not_allowed'],
      headers: ['If-Match'],
      example: { state: 'CONTACTED', data: { score: 85 } },
    },
    remove: {
      id: `deleteProcessBy${by}`,
      tag,
      description:
        'From then on it is not found, lists leave it out, and its primary key is free again. `POST …/restore` undoes it.',
      answers: { 200: aProcess('The process as it was, deleted.', { ...PROCESS_EXAMPLE, isDeleted: true }) },
      errors: ['not_found', 'conflict'],
      headers: ['If-Match'],
    },
  }) as const satisfies Record<string, RouteDocs>
