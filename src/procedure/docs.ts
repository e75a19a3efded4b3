import * as z from 'zod'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { ProcedureDryRun } from './definition-change/schema.ts'
import { ProcedureView, type PutProcedure } from './schema.ts'

const tag = 'Procedures'

const EXAMPLE: ProcedureView = {
  id: '01935c1e-5a00-7010-9b5c-2d3e4f5a6b7c',
  shortId: 'visit',
  name: 'Visit',
  states: [
    { shortId: 'PLANNED', name: 'Planned', next: ['DONE'] },
    { shortId: 'DONE', name: 'Done' },
  ],
  startState: 'PLANNED',
  completedState: 'DONE',
  attributes: [
    { shortId: 'visit_id', name: 'Visit id', type: 'string', required: true, indexed: false },
    { shortId: 'day', name: 'day', type: 'date', required: false, indexed: true, indexReady: true },
  ],
  primaryKey: 'visit_id',
  phoneAttribute: null,
  strict: false,
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
}

/** The procedure of most examples. */
const LEAD: ProcedureView = {
  ...EXAMPLE,
  id: '01935c1e-5a00-7003-9b5c-2d3e4f5a6b7c',
  shortId: 'lead',
  name: 'Lead',
  states: [
    { shortId: 'NEW', name: 'New' },
    { shortId: 'CONTACTED', name: 'Contacted' },
    { shortId: 'WON', name: 'Won' },
  ],
  startState: 'NEW',
  completedState: 'WON',
  attributes: [
    { shortId: 'lead_id', name: 'Lead id', type: 'string', required: true, indexed: false },
    { shortId: 'city', name: 'City', type: 'string', required: false, indexed: true, indexReady: true },
    { shortId: 'score', name: 'Score', type: 'integer', required: false, indexed: true, indexReady: true },
  ],
  primaryKey: 'lead_id',
}

const DEFINITION = {
  name: 'Visit',
  states: [
    { shortId: 'PLANNED', name: 'Planned', next: ['DONE'] },
    { shortId: 'DONE', name: 'Done' },
  ],
  startState: 'PLANNED',
  completedState: 'DONE',
  attributes: [
    { shortId: 'visit_id', name: 'Visit id', type: 'string', required: true },
    { shortId: 'day', type: 'date', indexed: true },
  ],
  primaryKey: 'visit_id',
} satisfies z.input<typeof PutProcedure>

export const procedureDocs = {
  listProcedures: {
    tag,
    description: 'All procedures with their states and attributes.',
    responses: {
      200: { description: 'The procedures of the team.', data: z.array(ProcedureView), example: { data: [LEAD] } },
    },
  },
  getProcedure: {
    tag,
    description: 'By short id or id. With `if-none-match`, an unchanged procedure is not sent again.',
    responses: {
      200: { description: 'The procedure.', data: ProcedureView, headers: ['ETag'], example: { data: LEAD } },
      304: { description: 'Not modified.', headers: ['ETag'] },
    },
    errors: ['not_found'],
    headers: ['If-None-Match'],
  },
  putProcedure: {
    tag,
    description: `The body is the whole definition, so it can be kept in a file beside your code. Repeating the request has no further effect.

A change that would lose data is refused with the number of affected processes: removing a state that is in use, or changing the primary key of a procedure that has processes.

With \`dryRun=true\` nothing is changed, and the response says what the request would do, by the same rules: what changes, what would refuse it and how many processes are in the way, which indexes are built, and which stored values would not fit. A definition that is wrong in itself is refused as ever.

With \`if-match\`, the definition is replaced only if nobody else has changed it since it was fetched, or since the dry run whose \`etag\` is sent. An index that was built meanwhile is no change. \`if-match: *\` replaces and never creates.`,
    responses: {
      200: {
        description: 'The replaced procedure; with `dryRun`, what the request would do.',
        data: z.union([ProcedureView, ProcedureDryRun]),
        headers: ['Location', 'ETag'],
        example: { data: EXAMPLE },
      },
      201: {
        description: 'The new procedure.',
        data: ProcedureView,
        headers: ['Location', 'ETag'],
        example: { data: EXAMPLE },
      },
    },
    errors: ['conflict', 'definition_in_use'],
    pathExamples: { procedureShortId: 'visit' },
    example: DEFINITION,
  },
} satisfies Record<string, RouteDocs>
