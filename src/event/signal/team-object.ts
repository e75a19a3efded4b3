import { getDurableObject } from '../../durable-objects.ts'

export type TeamEventsEnv = Pick<Env, 'TEAM_EVENTS'>

/** The object of a team that is told of commits: `TeamEvents` of `webhook/endpoint`, which wakes webhooks, too. */
export const getTeamEvents = (env: TeamEventsEnv, team: number) => getDurableObject(env, 'TEAM_EVENTS', String(team))

/** Calls of one team that wait for events at the same time. */
export const WAITING_CALLS_MAX = 200
/** What the object answers to one more. */
export const TOO_MANY_WAIT = 429
