import * as z from 'zod'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { type NewSavedView, OWN_VIEWS_MAX, SavedView, SHARED_VIEWS_MAX } from './schema.ts'

const tag = 'Saved views'

const EXAMPLE: SavedView = {
  id: '01935c1e-5a00-7011-8a9b-7c8d9eafb0c1',
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  createdBy: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  procedure: '01935c1e-5a00-7003-9b5c-2d3e4f5a6b7c',
  procedureShortId: 'lead',
  name: 'Open leads in Pune',
  query: { where: { status: 'OPEN', city: 'Pune' }, sort: [{ field: 'score', order: 'desc' }] },
  columns: ['lead_id', 'city', 'score', 'state'],
  layout: 'table',
  isShared: true,
}

const one = (description: string) => ({ description, data: SavedView, example: { data: EXAMPLE } })

const withdrawn = (description: string) => ({ ...one(description), example: { data: { ...EXAMPLE, isShared: false } } })

export const savedViewDocs = {
  listSavedViews: {
    tag,
    description: `The views of your user, and those that the team shares, oldest first. A user has at most ${OWN_VIEWS_MAX} that are not shared, a team shares at most ${SHARED_VIEWS_MAX}.`,
    responses: { 200: { description: 'The views.', data: z.array(SavedView), example: { data: [EXAMPLE] } } },
  },
  createSavedView: {
    tag,
    description:
      'A view is of the user of your key. Everybody who may read processes may have views, since they change nothing but the list of their own; sharing one with the team needs the permission `process:write`.',
    responses: {
      201: { description: 'The new view.', data: SavedView, headers: ['Location'], example: { data: EXAMPLE } },
    },
    errors: ['conflict'],
    example: {
      name: 'Open leads in Pune',
      procedure: 'lead',
      query: { where: { status: 'OPEN', city: 'Pune' }, sort: [{ field: 'score', order: 'desc' }] },
      columns: ['lead_id', 'city', 'score', 'state'],
      isShared: true,
    } satisfies z.input<typeof NewSavedView>,
  },
  getSavedView: {
    tag,
    description: "Another's view is found if it is shared.",
    responses: { 200: one('The view.') },
    errors: ['not_found'],
  },
  updateSavedView: {
    tag,
    description:
      'Only the fields that are sent are changed. A view that stays shared is changed by its maker with the permission `process:write`, or by whoever has `config:write`. What is not shared any more is seen by its maker alone.',
    responses: { 200: withdrawn('The updated view.') },
    errors: ['not_found', 'conflict'],
    example: { isShared: false },
  },
  deleteSavedView: {
    tag,
    description: 'By its maker, or, of a shared one, by whoever has the permission `config:write`.',
    responses: { 200: one('The deleted view.') },
    errors: ['not_found', 'conflict'],
  },
} satisfies Record<string, RouteDocs>
