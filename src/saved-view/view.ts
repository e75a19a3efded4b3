import type { Team } from '../scope.ts'
import type { SavedView } from './schema.ts'
import type { SavedViewRow } from './store.ts'

export const viewSavedView = (row: SavedViewRow, team: Pick<Team, 'id'>): SavedView => ({
  id: row.id,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  team: team.id,
  createdBy: row.createdBy,
  procedure: row.procedure,
  procedureShortId: row.procedureShortId,
  name: row.name,
  query: JSON.parse(row.query) as SavedView['query'],
  columns: JSON.parse(row.columns) as string[],
  layout: row.layout,
  isShared: row.isShared,
})
