import { AppError, invalid, notFound } from '../errors.ts'
import type { Receipt } from '../http/idempotency/record.ts'
import { newId, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { displayNameOf, noSuchUser } from './rules.ts'
import type { NewUser, UpdateUser } from './schema.ts'
import {
  findByReference,
  findWithReportees,
  insertUser,
  listUserRows,
  type NewUserRow,
  type UserRow,
  updateUserRow,
} from './store.ts'

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

export async function updateUser(
  scope: Scope,
  id: string,
  update: UpdateUser,
  receipt: Receipt,
): Promise<UserWithReportees> {
  const { row, reportees } = await getUser(scope, id)
  const next = { ...row, ...update, updatedAt: scope.now }
  if (!row.displayNameSet) next.displayName = displayNameOf(next)
  const outcome = { row: next, reportees }
  await scope.db.batch([updateUserRow(scope, row.id, update), ...receipt.of({ json: JSON.stringify(outcome) })])
  return outcome
}

export async function createUser(scope: Scope, body: NewUser, receipt: Receipt): Promise<UserWithReportees> {
  const manager = body.manager === undefined ? null : await findUserId(scope, body.manager, '/body/manager')
  const row: NewUserRow & { id: string } = {
    id: newId(scope.now),
    team: scope.team.no,
    username: body.username,
    firstName: body.firstName,
    lastName: body.lastName,
    displayName: body.displayName ?? displayNameOf(body),
    displayNameSet: body.displayName !== undefined,
    role: body.role,
    timezone: body.timezone,
    manager,
    emailId: body.email === undefined ? null : newId(scope.now),
    email: body.email ?? null,
    normalizedEmail: body.email?.toLowerCase() ?? null,
    createdAt: scope.now,
    updatedAt: scope.now,
  }
  const outcome = { row: { ...DEFAULTS, ...row } as UserRow, reportees: [] }
  try {
    await scope.db.batch([insertUser(scope, row), ...receipt.of({ json: JSON.stringify(outcome) })])
  } catch (error) {
    throw taken(error)
  }
  return outcome
}

const DEFAULTS = { no: 0, middleName: '', isActive: true, deletedAt: null }

function taken(error: unknown): unknown {
  const message = error instanceof Error ? error.message : ''
  if (message.includes('user.normalized_email'))
    return new AppError('conflict', [{ message: 'a user has this e-mail address already', path: '/body/email' }], error)
  if (message.includes('user.username'))
    return new AppError('conflict', [{ message: 'a user has this username already', path: '/body/username' }], error)
  return error
}

/** The user that an id, a username or a primary e-mail address names. */
export async function findUserId(scope: Scope, reference: string, path: string): Promise<string> {
  const id = await findByReference(scope, reference)
  if (id === undefined) throw invalid([noSuchUser(reference, path)])
  return id
}
