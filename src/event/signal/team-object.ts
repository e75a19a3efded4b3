import { getDurableObject } from '../../durable-objects.ts'

export type TeamEventsEnv = Pick<Env, 'TEAM_EVENTS'>

/** Returns the Durable Object of a team that gets signals of commits: `TeamEvents` of `webhook/endpoint`, which wakes webhooks, too. */
export const getTeamEvents = (env: TeamEventsEnv, team: number) => getDurableObject(env, 'TEAM_EVENTS', String(team))

/** Calls of one team that wait for events at the same time. */
export const WAITING_CALLS_MAX = 200
/** The status with which the Durable Object answers one more. */
export const TOO_MANY_WAIT = 429
