import { sql } from 'drizzle-orm'
import { assignments, type RowOf, type Statement, select, statement } from '../../src/db/statement.ts'
import { reserveTeamNumbers, selectLastTeamNumber } from '../../src/team/new-team.ts'
import { resumeTeam, suspendTeam } from '../../src/team/suspend.ts'
import { team } from '../../src/team/table.ts'
import { limitTeam } from '../../src/team-status/allowance.ts'
import type { Installation } from './options.ts'
import { readRows, writeRows } from './rows.ts'

// What the operator has decided of teams since the moment that a database goes back to: to suspend, resume or limit one, which
// is decided again; to erase one, which rests until the operator says what becomes of it; to make one, which is lost.

const TEAM = {
  no: team.no,
  id: team.id,
  shortId: team.shortId,
  suspendedAt: team.suspendedAt,
  rowsPerDay: team.rowsPerDay,
  erasingAt: team.erasingAt,
}
type DecidedTeam = RowOf<typeof TEAM>

/** All teams are read: nothing tells when a decision was taken back. */
const selectTeams = select(TEAM, sql`FROM ${team}`)

export const selectTeamDecisions = { teams: selectTeams, lastTeam: selectLastTeamNumber }

interface TeamDecisions {
  teams: readonly DecidedTeam[]
  lastTeam: readonly { no: number }[]
}

export const readTeamIds = (installation: Installation): string[] => {
  const [teams = []] = readRows(installation, [selectTeams]) as DecidedTeam[][]
  return teams.map(({ id }) => id)
}

/** Writes the decisions, and says which teams are lost or need a command more. */
export function decideAgain(installation: Installation, { teams, lastTeam }: TeamDecisions, since: number): void {
  const [restored = []] = readRows(installation, [selectTeams]) as DecidedTeam[][]
  const before = new Map(teams.map(each => [each.id, each]))
  const now = Date.now()
  const erased = restored.filter(({ id }) => {
    const decided = before.get(id)
    return decided === undefined || decided.erasingAt !== null
  })
  // It may have been erased by mistake, so nothing is done that cannot be taken back.
  const statements: Statement[] = erased.map(({ no }) => suspendTeam(no, now))
  const decisions: string[] = []
  for (const team of restored) {
    const decided = before.get(team.id)
    if (!decided) continue
    if (decided.rowsPerDay !== team.rowsPerDay) {
      statements.push(limitTeam(team.no, decided.rowsPerDay))
      decisions.push(
        `${team.shortId} ${decided.rowsPerDay === null ? 'without a limit' : `limited to ${decided.rowsPerDay} rows a day`}`,
      )
    }
    if (decided.suspendedAt === team.suspendedAt) continue
    if (decided.suspendedAt !== null) {
      statements.push(suspendSince(team.no, decided.suspendedAt))
      decisions.push(`${team.shortId} suspended`)
      // A later suspension is a decision of somebody who met a restore that had broken off.
    } else if (team.suspendedAt !== null && team.suspendedAt <= since) {
      statements.push(...resumeTeam(team.no, now))
      decisions.push(`${team.shortId} resumed`)
    }
  }
  writeRows(installation, [...statements, ...lastTeam.flatMap(({ no }) => reserveTeamNumbers(no))])
  if (decisions.length > 0) console.log(`carried   over of teams: ${decisions.join(', ')}`)
  for (const { id, shortId } of erased)
    console.log(`gone      since, back, and suspended: ${shortId}. It was erased, or lost by a restore of which this machine does not know. To keep it, or to erase it:
          npm run team -- resume ${shortId} --installation ${installation.name}
          npm run team -- erase ${id} --url <address>`)
  const isThere = new Set(restored.map(({ id }) => id))
  const lost = teams.filter(({ id }) => !isThere.has(id))
  if (lost.length > 0)
    console.log(
      `lost      teams that were made or imported since: ${lost.map(({ id, shortId }) => `${shortId} (${id})`).join(', ')}`,
    )
}

const suspendSince = (no: number, suspendedAt: number): Statement =>
  statement(sql`UPDATE ${team} SET ${assignments(team, { suspendedAt })} WHERE ${team.no} = ${no}`)
