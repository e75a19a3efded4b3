import { z } from 'zod'
import { OptionalLimitQuery, SkipQuery } from '../http/request/paging.ts'
import { Id, Text, Time } from '../http/shapes.ts'
import { UUID } from '../ids.ts'
import { ROLE_SHORT_IDS } from '../roles.ts'

const NAME_LENGTH_MAX = 100
const Name = Text.max(NAME_LENGTH_MAX)

export const UserPath = z.object({
  userId: z.string().meta({ description: 'The id of the user.', examples: ['01935c1e-5a00-7001-8f00-2b7d1c9e4a55'] }),
})

/** Other parameters are ignored, as they have always been: clients of the hosted product may send some. */
export const UsersQuery = z.object({ skip: SkipQuery, limit: OptionalLimitQuery })
export type UsersQuery = z.output<typeof UsersQuery>

export const UpdateUser = z
  .strictObject({ firstName: Name.exactOptional(), lastName: Name.exactOptional() })
  .refine(body => body.firstName !== undefined || body.lastName !== undefined, {
    error: 'at least one of firstName and lastName is required',
  })
  .meta({ minProperties: 1 })
export type UpdateUser = z.infer<typeof UpdateUser>

const OFFSET = /^[+-](0\d|1[0-4])[0-5]\d$/

export const NewUser = z
  .strictObject({
    username: Text.regex(/^\S{1,320}$/, { error: 'must be 1 to 320 characters without spaces' }),
    email: z.email({ error: 'must be an e-mail address' }).max(320).optional(),
    firstName: Name.default(''),
    lastName: Name.default(''),
    displayName: Name.optional().describe('The default follows the first and last name.'),
    role: z.enum(ROLE_SHORT_IDS),
    timezone: z.string().regex(OFFSET, { error: 'must be an offset such as +0530' }).default('+0000'),
    manager: z.string().min(1).max(320).optional().describe("A user's id, username or e-mail address."),
  })
  .superRefine(({ username, email }, ctx) => {
    // A user can be named by id, username or e-mail address: a username must not be another one's.
    const isOwnEmail = username.toLowerCase() === email?.toLowerCase()
    if (UUID.test(username)) ctx.addIssue({ code: 'custom', path: ['username'], message: 'must not look like a UUID' })
    else if (username.includes('@') && !isOwnEmail)
      ctx.addIssue({ code: 'custom', path: ['username'], message: 'must not be an e-mail address other than "email"' })
  })
export type NewUser = z.infer<typeof NewUser>

const Email = z
  .object({
    id: Id,
    createdAt: Time,
    updatedAt: Time,
    email: z.string(),
    normalizedEmail: z.string(),
    type: z.string(),
    isVerified: z.boolean(),
    user: Id,
  })
  .meta({ id: 'Email' })
export type Email = z.infer<typeof Email>

export const UserV1 = z
  .object({
    id: Id,
    createdAt: Time,
    updatedAt: Time,
    username: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    middleName: z.string(),
    displayName: z.string(),
    gender: z.string(),
    dob: z.int(),
    bio: z.string(),
    profileImageUrl: z.string(),
    coverImageUrl: z.string(),
    timezone: z.string().meta({ description: 'A UTC offset such as `+0530`.' }),
    data: z.null(),
    onboardingData: z.null(),
    isActive: z.boolean(),
    isDeleted: z.boolean(),
    deletedAt: Time.nullable(),
    availabilityStatus: z.string(),
    team: Id,
    role: Id,
    primaryEmail: Email.nullable(),
    primaryPhone: z.null(),
    profile: z.null(),
  })
  .meta({ id: 'UserV1' })
export type UserV1 = z.infer<typeof UserV1>

const LocalTime = z.string().meta({ format: 'date-time', description: "In the user's timezone." })

export const UserV2 = z
  .object({
    ...UserV1.shape,
    createdAt: LocalTime,
    updatedAt: LocalTime,
    team: z.string().meta({ description: 'The short id of the team.' }),
    role: z.string().meta({ description: 'The short id of the role.' }),
    primaryEmail: z.string().nullable(),
  })
  .meta({ id: 'UserV2' })
export type UserV2 = z.infer<typeof UserV2>

const ofOne = { phones: z.array(z.never()).meta({ items: {}, maxItems: 0 }), emails: z.array(Email) }

export const SingleUserV1 = z
  .object({ ...UserV1.shape, ...ofOne, reportees: z.array(UserV1) })
  .meta({ id: 'SingleUserV1' })
export const SingleUserV2 = z
  .object({ ...UserV2.shape, ...ofOne, reportees: z.array(UserV2) })
  .meta({ id: 'SingleUserV2' })
