import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { apiKey, team } from '../auth/table.ts'
import { backgroundJob, chunkRemoval, dryRunProcess, jobChunk, jobOutcome } from '../background-job/table.ts'
import { recordErasure } from '../customer/erasure/table.ts'
import { recordMove } from '../customer/merger/table.ts'
import { casing } from '../db/compile.ts'
import { isNumberOfTeam } from '../db/team-numbers.ts'
import { erasedProcess, erasureSweep } from '../erasure/table.ts'
import { event } from '../event/table.ts'
import { idempotency } from '../http/idempotency/table.ts'
import { optOut } from '../message/opt-out/table.ts'
import { message } from '../message/table.ts'
import { plugin, template } from '../plugin/table.ts'
import { procedure } from '../procedure/table.ts'
import { process, processTrash, processValue } from '../process/table.ts'
import { erasedIdentity, record, recordIdentity, recordWord } from '../record/table.ts'
import { requestBatch } from '../request/table.ts'
import { savedView } from '../saved-view/table.ts'
import { passkey, session, signInLink } from '../session/table.ts'
import { usageDay } from '../usage/table.ts'
import { user } from '../user/table.ts'
import { webhook, webhookDelivery, webhookProgress, webhookReplay } from '../webhook/table.ts'

/** How a column travels: a JSONB document as JSON, anything else as the number or text that it is. */
interface WalkedColumn {
  name: string
  column: SQLiteColumn
  isDocument: boolean
}

/** How the rows of one team are reached without those of the others. */
interface ByTeam {
  /** An index that begins with what `within` names; none: the primary key does. */
  index?: string
  within: (team: number) => SQL
  /** In which order the index has the rows, if it is not the primary key's. */
  key?: readonly SQLiteColumn[]
}

/** A table with rows of teams, walked in the order of its key. */
export interface WalkedTable {
  name: string
  table: SQLiteTable
  columns: readonly WalkedColumn[]
  key: readonly SQLiteColumn[]
  /** The column with the number of the team. */
  team: SQLiteColumn
  /** Absent: no index begins with the team, so that the rows of all teams are passed. */
  byTeam?: ByTeam
  /** Its rows follow from others, or belong to a browser and this installation: they are erased, but neither exported nor imported. */
  isLeftBehind?: true
}

const ofTeam =
  (column: SQLiteColumn) =>
  (team: number): SQL =>
    sql`${column} = ${team}`
const numberOfTeam =
  (column: SQLiteColumn) =>
  (team: number): SQL =>
    isNumberOfTeam(column, team)

/** The slots of indexed attributes have the type of a document, but hold numbers and text. */
const SLOT = /^s\d+$/

/**
 * Every table that has rows of a team, in the order in which they are imported. Erased in the reverse order, so that the
 * team and its keys are last. `test/team/tables.test.ts` compares this with the tables that there are.
 */
export const WALKED_TABLES: readonly WalkedTable[] = [
  walked(team, team.no, { within: ofTeam(team.no) }),
  // What holds secrets comes first: where their key is missing, an import is refused before it has written anything.
  walked(plugin, plugin.team, { within: numberOfTeam(plugin.no) }),
  walked(webhook, webhook.team, { within: numberOfTeam(webhook.no) }),
  walked(apiKey, apiKey.team, { index: 'api_key_team', within: ofTeam(apiKey.team) }),
  walked(user, user.team, { index: 'user_username', within: ofTeam(user.team) }),
  walked(passkey, passkey.team, { index: 'passkey_user', within: ofTeam(passkey.team) }),
  { ...walked(session, session.team, { index: 'session_user', within: ofTeam(session.team) }), isLeftBehind: true },
  {
    ...walked(signInLink, signInLink.team, { index: 'sign_in_link_user', within: ofTeam(signInLink.team) }),
    isLeftBehind: true,
  },
  walked(procedure, procedure.team, { within: numberOfTeam(procedure.no) }),
  walked(savedView, savedView.team, { index: 'saved_view_list', within: ofTeam(savedView.team) }),
  walked(template, template.team),
  walked(record, record.team, {
    index: 'record_team',
    within: ofTeam(record.team),
    key: [record.mergedInto, record.rid],
  }),
  walked(recordWord, recordWord.team, { within: ofTeam(recordWord.team) }),
  walked(recordIdentity, recordIdentity.team, { within: ofTeam(recordIdentity.team) }),
  walked(erasedIdentity, erasedIdentity.team, { within: ofTeam(erasedIdentity.team) }),
  walked(event, event.team, { within: ofTeam(event.team) }),
  walked(webhookProgress, webhookProgress.team, { within: numberOfTeam(webhookProgress.webhook) }),
  walked(webhookReplay, webhookReplay.team, { within: numberOfTeam(webhookReplay.webhook) }),
  walked(webhookDelivery, webhookDelivery.team, { within: numberOfTeam(webhookDelivery.webhook) }),
  walked(requestBatch, requestBatch.team, { within: ofTeam(requestBatch.team) }),
  walked(usageDay, usageDay.team, { within: ofTeam(usageDay.team) }),
  walked(recordErasure, recordErasure.team),
  walked(recordMove, recordMove.team),
  walked(erasureSweep, erasureSweep.team, { index: 'erasure_sweep_team', within: ofTeam(erasureSweep.team) }),
  walked(erasedProcess, erasedProcess.team),
  walked(process, process.team, {
    index: 'process_list',
    within: numberOfTeam(process.proc),
    key: [process.proc, process.rid],
  }),
  { ...walked(processValue, processValue.team, { within: numberOfTeam(processValue.proc) }), isLeftBehind: true },
  walked(processTrash, processTrash.team),
  // Maintenance tasks of jobs write here from the rows of `background_job`, so it is erased after that.
  walked(chunkRemoval, chunkRemoval.team),
  walked(jobOutcome, jobOutcome.team),
  walked(jobChunk, jobChunk.team),
  walked(dryRunProcess, dryRunProcess.team),
  walked(message, message.team, {
    index: 'message_phone',
    within: ofTeam(message.team),
    key: [message.phone, message.rid],
  }),
  walked(optOut, optOut.team, { within: ofTeam(optOut.team) }),
  walked(backgroundJob, backgroundJob.team, { index: 'background_job_team', within: ofTeam(backgroundJob.team) }),
  walked(idempotency, idempotency.team),
]

/** Secrets as they are stored: `<key id>.<iv>.<body>`. */
export const SECRET_COLUMNS: readonly { table: typeof plugin | typeof webhook; column: SQLiteColumn }[] = [
  ...[plugin.accessToken, plugin.appSecret, plugin.verifyToken].map(column => ({ table: plugin, column })),
  ...[webhook.secret, webhook.previousSecret].map(column => ({ table: webhook, column })),
]

function walked(table: SQLiteTable, teamColumn: SQLiteColumn, byTeam?: ByTeam): WalkedTable {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const [composite] = primaryKeys
  return {
    name,
    table,
    columns: columns.map(column => ({
      name: casing.getColumnCasing(column),
      column,
      isDocument: column.getSQLType() === 'blob' && !SLOT.test(column.name),
    })),
    key: byTeam?.key ?? composite?.columns ?? columns.filter(({ primary }) => primary),
    team: teamColumn,
    ...(byTeam ? { byTeam } : {}),
  }
}
