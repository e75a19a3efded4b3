export type TeamEventsEnv = Pick<Env, 'TEAM_EVENTS'>

/** The object of a team that is told of commits: `TeamEvents` of `webhook/endpoint`, which wakes webhooks, too. */
export const teamEventsOf = ({ TEAM_EVENTS }: TeamEventsEnv, team: number) =>
  TEAM_EVENTS.get(TEAM_EVENTS.idFromName(String(team)))
