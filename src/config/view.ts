import { viewPlugin } from '../plugin/view.ts'
import { viewProcedure } from '../procedure/view.ts'
import { ROLES } from '../roles.ts'
import type { Team } from '../scope.ts'
import type { TeamConfig } from './operations.ts'
import type { ConfigView } from './schema.ts'

export const viewConfig = ({ procedures, users, plugins }: TeamConfig, team: Team, origin: string): ConfigView => {
  const views = procedures.map(viewProcedure)
  const flat = <Item extends object>(listItems: (view: (typeof views)[number]) => Item[]) =>
    views.flatMap(view =>
      listItems(view).map(item => ({ ...item, procedure: view.id, procedureShortId: view.shortId })),
    )
  return {
    team: { id: team.id, shortId: team.shortId, name: team.name },
    procedures: views,
    attributes: flat(view => view.attributes),
    states: flat(view => view.states),
    roles: ROLES.map(role => ({ ...role, permissions: [...role.permissions] })),
    users: users.map(({ id, username, displayName, role, isActive }) => ({
      id,
      username,
      displayName,
      role,
      isActive,
    })),
    plugins: plugins.map(row => viewPlugin(row, team, origin)),
  }
}
