import { existsSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { HOUR_MS } from '../../src/time-units.ts'
import { confirm } from '../installation/confirm.ts'
import { heedInterruption, unlessInterrupted } from '../installation/interruption.ts'
import { UsageError } from '../installation/options.ts'
import { findStarts, operatorTokenFile } from '../local/running.ts'
import { type BackupContext, backUp, describeBackup, findBackedUpTeam, listBackups, loadTeam } from './backup.ts'
import { suspendTeam } from './carry-over.ts'
import { cancelSends, copyObjects, copyRows, eraseCopied, importCopy, ROWS_FILE, sumRows, tryImport } from './copy.ts'
import { openFolder } from './folder.ts'
import { operator } from './operator.ts'
import { restoreTeam } from './restore.ts'

// All that a team has, exported, imported, erased, backed up or restored, and a sign-in link, by the Worker's routes for the
// operator.

interface TeamOptions {
  url?: string | undefined
  folder?: string | undefined
  user?: string | undefined
  backups?: string | undefined
  within?: string | undefined
  backup?: string | undefined
  suspend?: boolean | undefined
  'give-up-erasures'?: boolean | undefined
  yes?: boolean | undefined
}

export type OperatorCommand = 'export' | 'import' | 'erase' | 'sign-in' | 'backup' | 'backups' | 'restore'

interface TeamRow {
  no: number
  id: string
  short_id: string
  suspended_at: number | null
}

export async function runOperatorCommand(command: OperatorCommand, team: string, options: TeamOptions): Promise<void> {
  const starts = findStarts()
  const url = (options.url ?? `http://localhost:${starts[0]?.port ?? 8787}`).replace(/\/+$/, '')
  const { folder: named = team, backups = 'backups' } = options
  // What is there already is listed without the installation.
  if (command === 'backups') return listAll(team)
  const token = process.env.OPERATOR_TOKEN ?? localToken()
  if (!token)
    throw new UsageError(
      `OPERATOR_TOKEN is not set, and no npm start runs at ${url}, whose token would be found by itself`,
    )
  const calls = operator(url, token)
  const sameInstallation = options.url === undefined ? '' : ` --url ${url}`
  const context: BackupContext = {
    operator: calls,
    folder: openFolder(backups),
    now: Date.now,
    wait: ms => setTimeout(ms),
    say: text => console.log(text),
    unlessInterrupted: act => act(),
    sameInstallation,
    same: `${sameInstallation}${options.backups === undefined ? '' : ` --backups ${backups}`}`,
  }
  await { export: exportTo, import: importFrom, erase, 'sign-in': signIn, backup, restore }[command](team)

  /** That of the `npm start` at the address. */
  function localToken(): string | undefined {
    const start = starts.find(({ port }) => url === `http://localhost:${port}` || url === `http://127.0.0.1:${port}`)
    const file = start && operatorTokenFile(start.state)
    return file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
  }

  async function exportTo(name: string): Promise<void> {
    const { id, definitions } = await loadTeam(context, name)
    const to = { folder: openFolder(named), at: '' }
    // It may lie in a copy of this project, and has the data of customers.
    await to.folder.writeText('.gitignore', '*\n')
    const rows = await copyRows(calls, id, to)
    // Rows that were read behind a new definition do not have the columns that the old one names.
    if ((await loadTeam(context, id)).definitions !== definitions)
      throw new Error(`a procedure of ${name} was changed meanwhile: export again`)
    const objects = await copyObjects(calls, id, to)
    console.log(`${sumRows(rows)} rows and ${objects.length} files of ${name} are in ${named}`)
  }

  async function importFrom(name: string): Promise<void> {
    const folder = openFolder(named)
    if ((await folder.getSize(ROWS_FILE)) === undefined)
      throw new Error(`there is no ${named}/${ROWS_FILE}: --folder names what an export has written`)
    const { row } = await readFirst(folder.readLines(ROWS_FILE))
    if (name !== row.id && name !== row.short_id) throw new Error(`${named} has the team ${row.short_id}, not ${name}`)
    const at = Date.now()
    async function* readSuspended(file: string): AsyncGenerator<string> {
      for await (const line of folder.readLines(file)) yield suspendTeam(line, at)
    }
    const copy = { folder: { ...folder, readLines: readSuspended }, rowsFile: ROWS_FILE, at: '', team: row }
    await tryImport(calls, copy, 'true')
    const { rows, objects } = await importCopy(calls, copy)
    if (row.suspended_at === null) await goOn(row.id)
    console.log(`${rows} rows and ${objects} files of ${name} are there, and were read back`)
  }

  async function goOn(id: string): Promise<void> {
    if ((await loadTeam(context, id)).suspendedAt === null) return
    await cancelSends(context, id)
    await calls.json('POST', `/team/${id}/resume`)
  }

  async function readFirst(lines: AsyncIterable<string>) {
    for await (const line of lines) return JSON.parse(line) as { row: TeamRow }
    throw new Error(`there are no rows in ${named}/${ROWS_FILE}`)
  }

  async function erase(id: string): Promise<void> {
    const found = await loadTeam(context, id)
    if (found.id !== id) throw new Error(`to erase ${found.name} for good, name it by its id: ${found.id}`)
    const what = `${found.name} (${found.shortId}) is erased from ${url}, with all that it has. Nothing brings it back.`
    await confirm({ name: found.shortId, kind: 'team' }, what, options.yes === true)
    const rows = await eraseCopied(calls, id, context)
    console.log(`${found.name} is erased: ${rows} rows, and its files`)
  }

  async function signIn(name: string): Promise<void> {
    const query = options.user === undefined ? '' : `?user=${encodeURIComponent(options.user)}`
    const { url: address } = await calls.json<{ url: string }>('POST', `/team/${name}/sign-in-link${query}`)
    console.log(`${address}\nThe link works once, within an hour.`)
  }

  async function backup(name: string): Promise<void> {
    await interruptible(own => backUp(own, name, { suspends: options.suspend === true }))
  }

  async function restore(name: string): Promise<void> {
    const agree = (shortId: string, what: string) =>
      confirm({ name: shortId, kind: 'team' }, what, options.yes === true)
    const givesUpErasures = options['give-up-erasures'] === true
    await interruptible(own => restoreTeam({ ...own, confirm: agree }, name, { time: options.backup, givesUpErasures }))
  }

  function interruptible(act: (own: BackupContext) => Promise<void>): Promise<void> {
    return heedInterruption(interruption =>
      act({ ...context, unlessInterrupted: step => unlessInterrupted(interruption, step) }),
    )
  }

  /** How old the newest backup may be; undefined for any age. */
  function readWithin(): number | undefined {
    if (options.within === undefined) return undefined
    if (!/^[1-9]\d*$/.test(options.within)) throw new UsageError('--within must be a whole number of hours above 0')
    return Number(options.within) * HOUR_MS
  }

  function listAll(name: string): void {
    const withinMs = readWithin()
    const folder = openFolder(backups)
    const id = findBackedUpTeam(folder, name)
    if (id === undefined) throw new Error(`there is no backup of ${name} in ${backups}`)
    const found = listBackups(folder, id)
    for (const each of found) console.log(describeBackup(each))
    const isBehind = withinMs !== undefined && (found.at(-1)?.at ?? 0) < Date.now() - withinMs
    if (isBehind) throw new Error(`${name} has no backup of the last ${options.within} hours`)
  }
}
