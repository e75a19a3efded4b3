import type { EntrySource } from '../../background-job/accept/accept-job.ts'
import type { BulkBody } from '../../background-job/accept/body.ts'
import { AppError, type Fault } from '../../errors.ts'
import { isObject } from '../../http/shapes.ts'
import type { May } from '../../permissions.ts'
import { undeclaredIn } from '../../procedure/declared.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { findUserId } from '../../user/operations.ts'
import { matchingIds } from '../query/list.ts'
import { furtherFaults } from '../validate.ts'
import { requireConsent } from './consent.ts'
import { PERMISSIONS_OF_KINDS } from './kinds.ts'
import { readUpdateItem } from './schema.ts'

/** The entries of a request, and what to warn of. */
export type BulkEntries = Pick<EntrySource, 'entries' | 'warnings'>

/** `{"where": Query, "update": {…}}`: what is wrong with either is wrong with the request, and refuses it whole. */
export async function readUpdateWhere(
  scope: Scope,
  procedure: Procedure,
  body: BulkBody,
  may: May,
): Promise<BulkEntries> {
  await body.skip()
  const [where, update] = [body.member('where'), body.member('update')]
  const { apiType, apiData, faults } = readUpdateItem(procedure, { id: '-', update: update ?? {} })
  const assignedTo = typeof update === 'object' && update !== null ? Reflect.get(update, 'assignedTo') : undefined
  const meant = faults.length === 0 ? furtherFaults(procedure, update) : []
  const all: Fault[] = [
    ...(body.hasList() ? [{ message: 'either "processes" or "where", not both', path: '/body/where' }] : []),
    ...(where === undefined ? [{ message: '"where" is required', path: '/body/where' }] : []),
    ...(update === undefined ? [{ message: '"update" is required', path: '/body/update' }] : []),
    ...[...faults, ...meant].map(inUpdate),
  ]
  const data = isObject(update) && isObject(update.data) ? update.data : {}
  const undeclared = undeclaredIn(procedure, data, '/body/update/data')
  const warnings = await requireConsent(scope, procedure, body, { undeclared, faults: all })
  const permission = PERMISSIONS_OF_KINDS[apiType]
  if (!may(permission))
    throw new AppError('permission_denied', [
      { message: `your role lacks the permission ${permission}`, detail: { permission } },
    ])
  if (typeof assignedTo === 'string') await findUserId(scope, assignedTo, '/body/update/assignedTo')
  const entries = async function* () {
    for await (const matches of matchingIds(scope, procedure, where))
      for (const { id } of matches) yield { apiType, apiData: { ...apiData, processId: id } }
  }
  return { entries, warnings: () => warnings }
}

/** Faults of an item point into it; here the item is a member of the body. */
const inUpdate = (fault: Fault): Fault => ({
  ...fault,
  path: (fault.path ?? '/body').replace(/^\/body(\/update)?/, '/body/update'),
})
