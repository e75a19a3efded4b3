import { AppError, invalid } from '../../errors.ts'
import type { Bytes } from '../../http/route.ts'
import type { May, Permission } from '../../permissions.ts'
import { type Entry, failureOf } from '../entry.ts'
import { ENTRIES_MAX } from './accept-job.ts'
import { type Scanned, type Span, scan, unknownMembers } from './scan.ts'

/** What a caller may not do by a single request, they may not do by an entry either. */
export function permitEntry(entry: Entry, permission: Permission | undefined, may: May): Entry {
  if (entry.invalid || permission === undefined || may(permission)) return entry
  const message = `your role lacks the permission ${permission}`
  return { ...entry, invalid: failureOf(new AppError('permission_denied', [{ message, detail: { permission } }])) }
}

/** What stands at the top of a body: only what is wrong with the request as a whole refuses it. */
export function scanMembers(bytes: Bytes, list: string, others: readonly string[] = []): Scanned {
  const scanned = scan(bytes, list, ENTRIES_MAX)
  const faults = unknownMembers(scanned.members.keys(), [list, ...others])
  if (faults.length > 0) throw invalid(faults)
  return scanned
}

export function requireItems({ items }: Scanned, list: string): Span[] {
  if (!items) throw invalid([{ message: `"${list}" must be a list`, path: `/body/${list}` }])
  if (items.length === 0) throw invalid([{ message: `"${list}" is empty`, path: `/body/${list}` }])
  return items
}
