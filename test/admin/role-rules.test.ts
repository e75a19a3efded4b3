import { expect, test } from 'vitest'
import { beginsAnew } from '../../src/admin/user/user-rules.ts'
import { isAboveWritersOfUsers, ROLES } from '../../src/roles.ts'

const roles = ROLES.map(({ shortId, permissions }) => ({ shortId, permissions: [...permissions] }))

test('a page says beforehand that a new role ends the sign-in methods of a user', () => {
  for (const { shortId } of roles) expect(beginsAnew(roles, shortId)).toBe(isAboveWritersOfUsers(shortId))
  expect(roles.filter(({ shortId }) => beginsAnew(roles, shortId)).map(({ shortId }) => shortId)).toEqual(['admin'])
  expect(beginsAnew([], 'admin')).toBe(false)
})
