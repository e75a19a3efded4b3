import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { createSavedView, deleteSavedView, getSavedView, listSavedViews, updateSavedView } from './operations.ts'
import { NewSavedView, SavedViewPath, SavedViewQuery, SavedViewUpdate } from './schema.ts'
import { viewSavedView } from './view.ts'

const SAVED_VIEWS = '/v1/ext/saved-view'
const SAVED_VIEW = `${SAVED_VIEWS}/:savedViewId`

export const savedViewRoutes = [
  route({
    id: 'listSavedViews',
    method: 'get',
    path: SAVED_VIEWS,
    summary: 'List saved views',
    etag: true,
    permission: 'process:read',
    query: SavedViewQuery,
    perform: ({ scope, query }) => listSavedViews(scope, query.procedure),
    respond: (rows, { scope }) =>
      jsonResponse(
        200,
        rows.map(row => viewSavedView(row, scope.team)),
      ),
  }),
  route({
    id: 'createSavedView',
    method: 'post',
    path: SAVED_VIEWS,
    summary: 'Save a view',
    permission: 'process:read',
    body: NewSavedView,
    perform: ({ c, scope, body }) => createSavedView(scope, c.get('may'), body),
    respond: (row, { scope }) =>
      jsonResponse(201, viewSavedView(row, scope.team), { headers: { location: `${SAVED_VIEWS}/${row.id}` } }),
  }),
  route({
    id: 'getSavedView',
    method: 'get',
    path: SAVED_VIEW,
    summary: 'Fetch a saved view',
    etag: true,
    permission: 'process:read',
    params: SavedViewPath,
    perform: ({ scope, params }) => getSavedView(scope, params.savedViewId),
    respond: (row, { scope }) => jsonResponse(200, viewSavedView(row, scope.team)),
  }),
  route({
    id: 'updateSavedView',
    method: 'put',
    path: SAVED_VIEW,
    summary: 'Update a saved view',
    permission: 'process:read',
    params: SavedViewPath,
    body: SavedViewUpdate,
    perform: ({ c, scope, params, body }) => updateSavedView(scope, c.get('may'), params.savedViewId, body),
    respond: (row, { scope }) => jsonResponse(200, viewSavedView(row, scope.team)),
  }),
  route({
    id: 'deleteSavedView',
    method: 'delete',
    path: SAVED_VIEW,
    summary: 'Delete a saved view',
    permission: 'process:read',
    params: SavedViewPath,
    perform: ({ c, scope, params }) => deleteSavedView(scope, c.get('may'), params.savedViewId),
    respond: (row, { scope }) => jsonResponse(200, viewSavedView(row, scope.team)),
  }),
]
