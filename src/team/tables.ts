import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { apiKey } from '../api-key/table.ts'
import { backgroundJob, chunkRemoval, dryRunProcess, jobChunk, jobOutcome } from '../background-job/table.ts'
import { recordErasure } from '../customer/erasure/table.ts'
import { recordMove } from '../customer/merger/table.ts'
import { erasedIdentity, record, recordIdentity, recordWord } from '../customer-record/table.ts'
import { casing } from '../db/compile.ts'
import { erasedProcess, erasureSweep } from '../erasure-sweep/table.ts'
import { eventObject } from '../event/object/table.ts'
import { event } from '../event/table.ts'
import { idempotency } from '../http/idempotency/table.ts'
import { optOut } from '../message/opt-out/table.ts'
import { message } from '../message/table.ts'
import { plugin, template } from '../plugin/table.ts'
import { procedure } from '../procedure/table.ts'
import { process, processTrash, processValue } from '../process/table.ts'
import { requestBatch } from '../request-log/table.ts'
import { savedView } from '../saved-view/table.ts'
import { passkey, session, signInLink } from '../session/table.ts'
import { usageDay } from '../usage/table.ts'
import { user } from '../user/table.ts'
import { webhook, webhookDelivery, webhookProgress, webhookReplay } from '../webhook/table.ts'
import { team } from './table.ts'

/** How a column travels: a JSONB document as JSON, anything else as the number or text that it is. */
interface WalkedColumn {
  name: string
  column: SQLiteColumn
  isDocument: boolean
}

/**
 * How the rows of one team are reached without those of the others, one after the other: by an index, or by the primary
 * key, that begins with the team, or with a number that only this team has.
 */
interface ByTeam {
  /** None: the primary key. */
  index?: string
  /** In which order it has the rows of a team. */
  key?: readonly SQLiteColumn[]
  /** The column of numbers of which each team has a range. None: the column of the team. */
  numbers?: SQLiteColumn
}

/** A table with rows of teams, walked in the order of a key. */
export interface WalkedTable extends ByTeam {
  name: string
  table: SQLiteTable
  columns: readonly WalkedColumn[]
  primaryKey: readonly SQLiteColumn[]
  /** The primary key, where it is the number under which SQLite stores the row. */
  rowNumber?: SQLiteColumn
  /** Within the rows of a team. */
  key: readonly SQLiteColumn[]
  /** The column with the number of the team. */
  team: SQLiteColumn
  /** What no two rows of the table have alike, of whatever teams they are. */
  uniques: readonly (readonly SQLiteColumn[])[]
  /** What an installation changes in rows by itself: a row that is there already may differ in these from the export. */
  moving: readonly SQLiteColumn[]
  /** Its rows follow from others, or belong to a browser and this installation: they are erased, but neither exported nor imported. */
  isNotExported?: true
  /** Its rows go to an object once their job has ended: they are not put back beside it. Those of a large job stay, without this text. */
  movedText?: SQLiteColumn
}

/** The slots of indexed attributes have the type of a document, but hold numbers and text. */
const SLOT = /^s\d+$/

/**
 * Every table that has rows of a team, in the order in which they are imported. Erased in the reverse order, so that the
 * team and its keys are last. `test/team/tables.test.ts` compares this with the tables that there are.
 */
export const WALKED_TABLES: readonly WalkedTable[] = [
  describeWalk(team, team.no, { key: [team.no] }, [team.dueScannedTo, team.dueNotifiedTo, team.suspendedAt]),
  describeWalk(plugin, plugin.team, { numbers: plugin.no }),
  describeWalk(webhook, webhook.team, { numbers: webhook.no }),
  describeWalk(apiKey, apiKey.team, { index: 'api_key_team', key: [apiKey.id] }, [apiKey.lastUsedAt]),
  describeWalk(user, user.team, { index: 'user_username', key: [user.username] }),
  describeWalk(passkey, passkey.team, { index: 'passkey_user', key: [passkey.user, passkey.id] }, [
    passkey.lastUsedAt,
    passkey.counter,
  ]),
  {
    ...describeWalk(session, session.team, { index: 'session_user', key: [session.user, session.id] }),
    isNotExported: true,
  },
  {
    ...describeWalk(signInLink, signInLink.team, { index: 'sign_in_link_user', key: [signInLink.user, signInLink.id] }),
    isNotExported: true,
  },
  describeWalk(procedure, procedure.team, { numbers: procedure.no }, [procedure.indexingBelow, procedure.unfitSlots]),
  describeWalk(savedView, savedView.team, {
    index: 'saved_view_list',
    key: [savedView.isShared, savedView.createdBy, savedView.id],
  }),
  describeWalk(template, template.team, { numbers: template.plugin }),
  describeWalk(record, record.team, { index: 'record_team', key: [record.mergedInto, record.rid] }),
  describeWalk(recordWord, recordWord.team),
  describeWalk(recordIdentity, recordIdentity.team),
  describeWalk(erasedIdentity, erasedIdentity.team),
  // What was moved of the log, and then what was not: export.ts goes from one to the other.
  describeWalk(eventObject, eventObject.team, {}, [eventObject.keptFrom, eventObject.no, eventObject.bytes]),
  describeWalk(event, event.team),
  describeWalk(webhookProgress, webhookProgress.team, { numbers: webhookProgress.webhook }, [
    ...[webhookProgress.position, webhookProgress.waiting, webhookProgress.dueAt, webhookProgress.heldUntil],
    ...[webhookProgress.failingSince, webhookProgress.revision],
  ]),
  describeWalk(webhookReplay, webhookReplay.team, { numbers: webhookReplay.webhook }, [webhookReplay.position]),
  describeWalk(webhookDelivery, webhookDelivery.team, { numbers: webhookDelivery.webhook }),
  describeWalk(requestBatch, requestBatch.team),
  describeWalk(usageDay, usageDay.team, {}, [
    ...[usageDay.requests, usageDay.failed, usageDay.rowsRead, usageDay.rowsWritten, usageDay.databaseMicros],
  ]),
  describeWalk(
    recordErasure,
    recordErasure.team,
    { index: 'record_erasure_team', key: [recordErasure.erasure, recordErasure.record] },
    [
      ...[recordErasure.phones, recordErasure.process, recordErasure.message, recordErasure.event],
      ...[recordErasure.trash, recordErasure.trashProc, recordErasure.trashAt, recordErasure.trashRid],
      ...[recordErasure.done, recordErasure.processes, recordErasure.messages],
    ],
  ),
  describeWalk(
    recordMove,
    recordMove.team,
    { index: 'record_move_to', key: [recordMove.toRecord, recordMove.record] },
    [recordMove.processes],
  ),
  describeWalk(erasureSweep, erasureSweep.team, { index: 'erasure_sweep_team', key: [erasureSweep.id] }, [
    ...[erasureSweep.event, erasureSweep.webhook, erasureSweep.delivery, erasureSweep.job, erasureSweep.entry],
  ]),
  describeWalk(erasedProcess, erasedProcess.team, {}, [erasedProcess.event]),
  describeWalk(
    process,
    process.team,
    { index: 'process_list', numbers: process.proc, key: [process.proc, process.rid] },
    [process.notifiedDueAt],
  ),
  { ...describeWalk(processValue, processValue.team, { numbers: processValue.proc }), isNotExported: true },
  describeWalk(processTrash, processTrash.team, {
    index: 'process_trash_list',
    numbers: processTrash.proc,
    key: [processTrash.proc, processTrash.deletedAt, processTrash.rid],
  }),
  // Maintenance tasks of jobs write here from the rows of `background_job`, so it is erased after that.
  describeWalk(chunkRemoval, chunkRemoval.team, {}, [chunkRemoval.due, chunkRemoval.object]),
  { ...describeWalk(jobOutcome, jobOutcome.team), movedText: jobOutcome.outcomes },
  { ...describeWalk(jobChunk, jobChunk.team), movedText: jobChunk.entries },
  describeWalk(dryRunProcess, dryRunProcess.team),
  describeWalk(message, message.team, { index: 'message_phone', key: [message.phone, message.rid] }, [
    ...[message.delivery, message.error, message.steps, message.history, message.updatedAt],
  ]),
  describeWalk(optOut, optOut.team),
  describeWalk(backgroundJob, backgroundJob.team, { index: 'background_job_team', key: [backgroundJob.no] }, [
    ...[backgroundJob.wakeAt, backgroundJob.revision, backgroundJob.archivedAt],
  ]),
  describeWalk(idempotency, idempotency.team),
]

function describeWalk(
  table: SQLiteTable,
  teamColumn: SQLiteColumn,
  byTeam: ByTeam = {},
  moving: readonly SQLiteColumn[] = [],
): WalkedTable {
  const { name, columns, primaryKeys, indexes } = getTableConfig(table)
  const primaryKey = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  const number = columns.find(column => column.primary && column.getSQLType() === 'integer')
  const uniques = [
    primaryKey,
    ...columns.filter(({ isUnique }) => isUnique).map(column => [column]),
    ...indexes.flatMap(({ config }) => (config.unique ? [config.columns.filter(each => is(each, SQLiteColumn))] : [])),
  ]
  return {
    name,
    table,
    columns: columns.map(column => ({
      name: casing.getColumnCasing(column),
      column,
      isDocument: column.getSQLType() === 'blob' && !SLOT.test(column.name),
    })),
    primaryKey,
    ...(number ? { rowNumber: number } : {}),
    key: primaryKey.filter(column => column !== teamColumn),
    team: teamColumn,
    uniques: uniques.filter(unique => table === team || !unique.includes(teamColumn)),
    moving,
    ...byTeam,
  }
}
