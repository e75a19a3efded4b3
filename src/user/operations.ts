import { retryWhileChanged } from '../change-conflict.ts'
import { isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import { retryOnConflict } from '../db/retry.ts'
import { write } from '../db/write.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { newId, toRowNo, UUID } from '../ids.ts'
import type { May } from '../permissions.ts'
import { isAboveWritersOfUsers, requireGrantable } from '../roles.ts'
import type { Scope } from '../scope.ts'
import { formatDisplayName, noSuchUser } from './rules.ts'
import type { NewUser, UpdateUser, UserAccess, UsersQuery } from './schema.ts'
import {
  endSignIns,
  findByReference,
  findWithReportees,
  guardOtherAdmin,
  guardUser,
  guardUserLeft,
  insertUser,
  LAST_ADMIN,
  listUserRows,
  removePasskeys,
  saveAccess,
  saveNames,
  TOO_MANY_USERS,
  USER_CHANGED,
  USERS_MAX,
  type UserRow,
} from './store.ts'
import { writeAccess } from './write-access.ts'

export interface UserWithReportees {
  row: UserRow
  reportees: UserRow[]
}

export async function getUser(scope: Scope, id: string): Promise<UserWithReportees> {
  const found = UUID.test(id) ? await findWithReportees(scope, id.toLowerCase()) : undefined
  if (!found) throw notFound(`user ${id}`)
  return found
}

export const listUsers = (scope: Scope): Promise<UserRow[]> => listUserRows(scope)

export async function readUsersPage(
  scope: Scope,
  { skip, limit }: UsersQuery,
): Promise<{ rows: UserRow[]; hasMore: boolean }> {
  const rows = await listUserRows(scope, skip, limit)
  return limit === undefined ? { rows, hasMore: false } : { rows: rows.slice(0, limit), hasMore: rows.length > limit }
}

/** Updates a user. Of two updates at once both take effect: the later one changes what the earlier one left. */
export const updateUser = (scope: Scope, id: string, update: UpdateUser): Promise<UserWithReportees> =>
  withUnchangedUser(async () => {
    const { row, reportees } = await getUser(scope, id)
    const next: UserRow = { ...row, ...update, updatedAt: Math.max(row.updatedAt, scope.now) }
    if (!row.displayNameSet) next.displayName = formatDisplayName(next)
    await write(scope, {
      guards: [guardUser(scope, row)],
      effect: [saveNames(scope, next)],
      outcome: keepRow(next),
    })
    return { row: next, reportees }
  })

/**
 * Changes a user's access. Nobody takes access from themselves, from somebody who may do more, or from the last active admin.
 * A user whose new role is above that of some who make links signs in again: an older link, session or passkey may be theirs.
 */
export const changeAccess = (scope: Scope, id: string, change: UserAccess, may: May): Promise<UserWithReportees> =>
  withUnchangedUser(async () => {
    const { row, reportees } = await getUser(scope, id)
    requireGrantable(row.role, may, '/path/userId')
    if (change.role !== undefined) requireGrantable(change.role, may)
    if (row.id === scope.user.id) throw accessRefusedError('nobody changes their own access: ask another admin')
    const next: UserRow = { ...row, ...change, updatedAt: Math.max(row.updatedAt, scope.now) }
    const wasAdmin = row.role === 'admin' && row.isActive
    const staysAdmin = next.role === 'admin' && next.isActive
    const beginsAnew = next.role !== row.role && isAboveWritersOfUsers(next.role)
    try {
      await writeAccess(
        scope,
        {
          guards: [guardUser(scope, row), ...(wasAdmin && !staysAdmin ? [guardOtherAdmin(scope, row.id)] : [])],
          effect: [
            saveAccess(scope, next),
            ...(next.isActive && !beginsAnew ? [] : endSignIns(scope, row.id)),
            ...(beginsAnew ? [removePasskeys(scope, row.id)] : []),
          ],
          outcome: keepRow(next),
        },
        may,
      )
    } catch (error) {
      if (isGuardFailure(error, LAST_ADMIN)) throw accessRefusedError('the team would have no active admin', error)
      throw error
    }
    return { row: next, reportees }
  })

/** A row of the database has no room for all who may report to a user: a repeated request reads them anew (`recallReportees`). */
const keepRow = (row: UserRow) => ({ json: JSON.stringify({ row, reportees: [] } satisfies UserWithReportees) })

/** The user of a repeated request as the first one left them, with those who report to them by now. */
export async function recallReportees(scope: Scope, { row }: UserWithReportees): Promise<UserWithReportees> {
  const found = await findWithReportees(scope, row.id)
  return { row, reportees: found?.reportees ?? [] }
}

/** Runs `act`, which decides by the user, again if `guardUser` finds that somebody has changed the user meanwhile. */
const withUnchangedUser = <T>(act: () => Promise<T>): Promise<T> => retryWhileChanged('user', USER_CHANGED, act)

const accessRefusedError = (message: string, cause?: unknown): AppError =>
  new AppError('conflict', [{ message, path: '/path/userId' }], cause)

export async function createUser(scope: Scope, body: NewUser, may: May): Promise<UserWithReportees> {
  requireGrantable(body.role, may)
  const manager = body.manager === undefined ? null : await findUserId(scope, body.manager, '/body/manager')
  return retryOnConflict(isRowNumberTaken, async () => {
    const row = buildUser(scope, body, manager)
    try {
      const change = { guards: [guardUserLeft(scope)], effect: [insertUser(row)] }
      await writeAccess(scope, { ...change, outcome: keepRow(row) }, may)
    } catch (error) {
      throw findRefusal(error) ?? error
    }
    return { row, reportees: [] }
  })
}

/** A row number has a millisecond and twelve bits: another user may have it, of this team or of another. */
const isRowNumberTaken = (error: unknown): boolean => isUniqueViolation(error, 'user.no')

/** Builds the row of a new user under an id that is drawn at each call. */
function buildUser(scope: Scope, body: NewUser, manager: string | null): UserRow {
  const id = newId(scope.now)
  return {
    no: toRowNo(id),
    id,
    team: scope.team.no,
    username: body.username,
    firstName: body.firstName,
    lastName: body.lastName,
    middleName: '',
    displayName: body.displayName || formatDisplayName(body),
    // A form sends an empty text for one that nobody has chosen.
    displayNameSet: Boolean(body.displayName),
    role: body.role,
    timezone: body.timezone,
    manager,
    emailId: body.email === undefined ? null : newId(scope.now),
    email: body.email ?? null,
    normalizedEmail: body.email?.toLowerCase() ?? null,
    isActive: true,
    createdAt: scope.now,
    updatedAt: scope.now,
    deletedAt: null,
  }
}

function findRefusal(error: unknown): AppError | undefined {
  if (isGuardFailure(error, TOO_MANY_USERS)) {
    const message = `a team may have ${USERS_MAX.toLocaleString('en')} users, the deactivated ones among them`
    return new AppError('conflict', message, error)
  }
  if (isUniqueViolation(error, 'user.normalized_email'))
    return new AppError('conflict', [{ message: 'a user has this e-mail address already', path: '/body/email' }], error)
  if (isUniqueViolation(error, 'user.username'))
    return new AppError('conflict', [{ message: 'a user has this username already', path: '/body/username' }], error)
  return undefined
}

/** Finds the user whom an id, a username or a primary e-mail address names. */
export async function findUserId(scope: Scope, reference: string, path: string): Promise<string> {
  const id = await findByReference(scope, reference)
  if (id === undefined) throw invalid([noSuchUser(reference, path)])
  return id
}
