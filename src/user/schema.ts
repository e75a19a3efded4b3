import * as z from 'zod'
import { OptionalLimitQuery, SkipQuery } from '../http/request/paging.ts'
import { Id, Text, Time } from '../http/shapes.ts'
import { UUID } from '../ids.ts'
import { ROLE_SHORT_IDS } from '../roles.ts'

const NAME_LENGTH_MAX = 100
const Name = Text.max(NAME_LENGTH_MAX)

export const UserPath = z.object({
  userId: z.string().meta({ description: 'The id of the user.', examples: ['01935c1e-5a00-7001-8f00-2b7d1c9e4a55'] }),
})

/** The query of the list. Other parameters are ignored, as they always were: clients of the hosted product may send some. */
export const UsersQuery = z.object({ skip: SkipQuery, limit: OptionalLimitQuery })
export type UsersQuery = z.output<typeof UsersQuery>

export const UpdateUser = z
  .strictObject({
    firstName: Name.exactOptional().meta({ description: 'The new first name.', examples: ['Asha'] }),
    lastName: Name.exactOptional().meta({ description: 'The new last name.', examples: ['Rao'] }),
  })
  .refine(body => body.firstName !== undefined || body.lastName !== undefined, {
    error: 'at least one of firstName and lastName is required',
  })
  .meta({ minProperties: 1 })
export type UpdateUser = z.infer<typeof UpdateUser>

export const UserAccess = z
  .strictObject({
    role: z
      .enum(ROLE_SHORT_IDS)
      .exactOptional()
      .meta({ description: 'The new role.', examples: ['manager'] }),
    isActive: z
      .boolean()
      .exactOptional()
      .meta({ description: 'Whether the user can act: sign in, and by keys that act for them.', examples: [false] }),
  })
  .refine(body => body.role !== undefined || body.isActive !== undefined, {
    error: 'at least one of role and isActive is required',
  })
  .meta({ minProperties: 1 })
export type UserAccess = z.infer<typeof UserAccess>

const OFFSET = /^[+-](0\d|1[0-4])[0-5]\d$/

export const NewUser = z
  .strictObject({
    username: Text.regex(/^\S{1,320}$/, { error: 'must be 1 to 320 characters without spaces' }).meta({
      description: 'A name without spaces, unique in the team. It may be the e-mail address of the same user.',
      examples: ['asha'],
    }),
    email: z
      .email({ error: 'must be an e-mail address' })
      .max(320)
      .optional()
      .meta({ description: 'The primary e-mail address, unique in the team.', examples: ['Asha@acme.example'] }),
    firstName: Name.default('').meta({ description: 'The first name.', examples: ['Asha'] }),
    lastName: Name.default('').meta({ description: 'The last name.', examples: ['Rao'] }),
    displayName: Name.optional().meta({
      description: 'The name that people see. The default is the first and last name.',
      examples: ['Asha Rao'],
    }),
    role: z.enum(ROLE_SHORT_IDS).meta({ description: 'The role: what the user may do.', examples: ['agent'] }),
    timezone: z
      .string()
      .regex(OFFSET, { error: 'must be an offset such as +0530' })
      .default('+0000')
      .meta({ description: 'The UTC offset in which version 2 shows the times of this user.', examples: ['+0530'] }),
    manager: z
      .string()
      .min(1)
      .max(320)
      .optional()
      .meta({ description: "The manager: a user's id, username or e-mail address.", examples: ['meera'] }),
  })
  .superRefine(({ username, email }, ctx) => {
    // A user can be named by id, username or e-mail address, so a username must not be another user's address.
    const isOwnEmail = username.toLowerCase() === email?.toLowerCase()
    if (UUID.test(username)) ctx.addIssue({ code: 'custom', path: ['username'], message: 'must not look like a UUID' })
    else if (username.includes('@') && !isOwnEmail)
      ctx.addIssue({ code: 'custom', path: ['username'], message: 'must not be an e-mail address other than "email"' })
  })
export type NewUser = z.infer<typeof NewUser>

const Email = z
  .object({
    id: Id.describe('The id of the e-mail address.'),
    createdAt: Time,
    updatedAt: Time,
    email: z.string().describe('The address as it was given.'),
    normalizedEmail: z.string().describe('The address in lower case.'),
    type: z.string().describe('Always empty: addresses have no type here.'),
    isVerified: z.boolean().describe('Always false: addresses are not verified here.'),
    user: Id.describe('The user who has the address.'),
  })
  .meta({ id: 'Email' })
export type Email = z.infer<typeof Email>

/** A field of the hosted product that has no meaning here. Its clients may read it. */
const Unused = <Type extends z.ZodType>(type: Type, value: string): Type =>
  type.describe(`Always ${value}. It is there for clients of the hosted product.`)

export const UserV1 = z
  .object({
    id: Id.describe('The id of the user.'),
    createdAt: Time,
    updatedAt: Time,
    username: z.string().describe('A name without spaces, unique in the team.'),
    firstName: z.string().describe('The first name; may be empty.'),
    lastName: z.string().describe('The last name; may be empty.'),
    middleName: Unused(z.string(), 'empty'),
    displayName: z.string().describe('The name that people see.'),
    gender: Unused(z.string(), 'empty'),
    dob: Unused(z.int(), '0'),
    bio: Unused(z.string(), 'empty'),
    profileImageUrl: Unused(z.string(), 'empty'),
    coverImageUrl: Unused(z.string(), 'empty'),
    timezone: z.string().meta({ description: 'A UTC offset such as `+0530`.' }),
    data: Unused(z.null(), 'null'),
    onboardingData: Unused(z.null(), 'null'),
    isActive: z.boolean().describe('Whether the user can act.'),
    isDeleted: z.boolean().describe('Whether the user was deleted.'),
    deletedAt: Time.nullable().describe('When the user was deleted, in epoch milliseconds; null if not.'),
    availabilityStatus: z.string().describe('Always `AVAILABLE`.'),
    team: Id.describe('The id of the team.'),
    role: Id.describe('The id of the role.'),
    primaryEmail: Email.nullable().describe('The primary e-mail address; null if there is none.'),
    primaryPhone: Unused(z.null(), 'null'),
    profile: Unused(z.null(), 'null'),
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
    primaryEmail: z.string().nullable().describe('The primary e-mail address itself; null if there is none.'),
  })
  .meta({ id: 'UserV2' })
export type UserV2 = z.infer<typeof UserV2>

const ofOne = {
  phones: Unused(z.array(z.never()), 'empty').meta({ items: {}, maxItems: 0 }),
  emails: z.array(Email).describe('All e-mail addresses.'),
}
const REPORTEES = 'The users who have this user as their manager.'

export const SingleUserV1 = z
  .object({ ...UserV1.shape, ...ofOne, reportees: z.array(UserV1).describe(REPORTEES) })
  .meta({ id: 'SingleUserV1' })
export const SingleUserV2 = z
  .object({ ...UserV2.shape, ...ofOne, reportees: z.array(UserV2).describe(REPORTEES) })
  .meta({ id: 'SingleUserV2' })
