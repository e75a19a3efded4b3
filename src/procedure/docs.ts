import { z } from 'zod'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { ProcedureView, type PutProcedure } from './schema.ts'

const tag = 'Procedures'

const EXAMPLE: ProcedureView = {
  id: '01935c1e-5a00-7003-9b5c-2d3e4f5a6b7c',
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

export const listDocs: RouteDocs = {
  id: 'listProcedures',
  tag,
  description: 'All of them, with states and attributes.',
  answers: {
    200: { description: 'The procedures of the team.', data: z.array(ProcedureView), example: { data: [EXAMPLE] } },
  },
}

export const getDocs: RouteDocs = {
  id: 'getProcedure',
  tag,
  description: 'By its short id or its id.',
  answers: { 200: { description: 'The procedure.', data: ProcedureView, example: { data: EXAMPLE } } },
  errors: ['not_found'],
}

export const putDocs: RouteDocs = {
  id: 'putProcedure',
  tag,
  description: `A definition is configuration that can live beside your code: it is sent whole, and sent twice it comes to the same.

No data is lost by it. What would lose some is refused with the number of processes in the way: removing a state that processes are in, changing the primary key of a procedure that has processes.`,
  answers: {
    200: {
      description: 'The procedure, replaced.',
      data: ProcedureView,
      headers: ['Location'],
      example: { data: EXAMPLE },
    },
    201: { description: 'The new procedure.', data: ProcedureView, headers: ['Location'], example: { data: EXAMPLE } },
  },
  errors: ['conflict', 'definition_in_use'],
  places: { procedureShortId: 'visit' },
  example: DEFINITION,
}
