import { expect, test } from 'vitest'
import { ENTRY_STATUSES, JOB_STATUSES } from '../../src/admin/parts/background-job/statuses.ts'
import { describePermissions } from '../../src/admin/parts/form/role-text.ts'
import { DELIVERY_STATUSES } from '../../src/admin/parts/message/delivery-status.ts'
import { MENU } from '../../src/admin/shell/menu-entries.ts'
import {
  ENTRY_STATUSES as ENTRY_STATUSES_OF_API,
  JOB_STATUSES as JOB_STATUSES_OF_API,
} from '../../src/background-job/schema.ts'
import { DELIVERY_STATUSES as DELIVERY_STATUSES_OF_API } from '../../src/message/rules.ts'
import { PERMISSIONS } from '../../src/permissions.ts'
import { ROLES } from '../../src/roles.ts'

// A value that the API has and the pages lack would compile, and be missing in a choice, a bar or a table.
test.each([
  ['statuses of a job', JOB_STATUSES, JOB_STATUSES_OF_API],
  ['statuses of an entry', ENTRY_STATUSES, ENTRY_STATUSES_OF_API],
  ['statuses of a delivery', DELIVERY_STATUSES.map(({ status }) => status), DELIVERY_STATUSES_OF_API],
])('the pages know the %s that the API has, each once', (_, shown, known) => {
  expect([...shown].sort()).toEqual([...known].sort())
})

test('every permission that a page or a sentence names exists', () => {
  const needed = MENU.flatMap(({ entries }) => entries.map(({ needs }) => needs))
  expect(needed.filter(each => !PERMISSIONS.some(permission => permission === each))).toEqual([])
  const sentences = ROLES.map(({ permissions }) => describePermissions(permissions))
  expect(new Set(sentences).size).toBe(ROLES.length)
  expect(describePermissions(['process:read'])).toBe('Reads, and changes nothing.')
  expect(describePermissions(['process:read', 'process:write', 'message:send'])).toBe(
    'Reads, changes processes, sends messages.',
  )
  expect(describePermissions(undefined)).toBeUndefined()
})
