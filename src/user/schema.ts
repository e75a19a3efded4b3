import { z } from 'zod'
import { ROLE_SHORT_IDS } from '../auth/roles.ts'

const NAME_LENGTH_MAX = 100
const Name = z.string().max(NAME_LENGTH_MAX)

export const UserPath = z.object({ userId: z.string() })

export const UpdateUser = z
  .strictObject({ firstName: Name.exactOptional(), lastName: Name.exactOptional() })
  .refine(body => body.firstName !== undefined || body.lastName !== undefined, {
    error: 'at least one of firstName and lastName is required',
  })
export type UpdateUser = z.infer<typeof UpdateUser>

const OFFSET = /^[+-](0\d|1[0-4])[0-5]\d$/

export const NewUser = z.strictObject({
  username: z.string().regex(/^\S{1,320}$/, { error: '1 to 320 characters without spaces' }),
  email: z.email().max(320).optional(),
  firstName: Name.default(''),
  lastName: Name.default(''),
  /** Set by hand, it stays; left out, it follows first and last name. */
  displayName: Name.optional(),
  role: z.enum(ROLE_SHORT_IDS),
  timezone: z.string().regex(OFFSET, { error: 'an offset such as +0530' }).default('+0000'),
  /** A user's id, username or e-mail address. */
  manager: z.string().min(1).max(320).optional(),
})
export type NewUser = z.infer<typeof NewUser>
