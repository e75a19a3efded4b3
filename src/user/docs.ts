import * as z from 'zod'
import type { ResponseDocs, RouteDocs } from '../http/openapi/route-docs.ts'
import { getRoleId } from '../roles.ts'
import { type NewUser, SingleUserV1, SingleUserV2, UserV1, UserV2 } from './schema.ts'

const tag = 'Users'

const EMAIL = {
  id: '01935c1e-5a00-7006-8e8f-5a6b7c8d9eaf',
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
  email: 'Asha@acme.example',
  normalizedEmail: 'asha@acme.example',
  type: '',
  isVerified: false,
  user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
}

const V1: UserV1 = {
  id: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
  username: 'asha',
  firstName: 'Asha',
  lastName: 'Rao',
  middleName: '',
  displayName: 'Asha Rao',
  gender: '',
  dob: 0,
  bio: '',
  profileImageUrl: '',
  coverImageUrl: '',
  timezone: '+0530',
  data: null,
  onboardingData: null,
  isActive: true,
  isDeleted: false,
  deletedAt: null,
  availabilityStatus: 'AVAILABLE',
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  role: '0198a000-0000-7000-8000-000000000003',
  primaryEmail: EMAIL,
  primaryPhone: null,
  profile: null,
}

const V2: UserV2 = {
  ...V1,
  createdAt: '2026-11-21T20:20:06.000+05:30',
  updatedAt: '2026-11-21T20:20:06.000+05:30',
  team: 'acme',
  role: 'agent',
  primaryEmail: 'Asha@acme.example',
}

const ofOne = { phones: [], emails: [EMAIL], reportees: [] }
const oneV1 = { ...V1, ...ofOne } satisfies z.infer<typeof SingleUserV1>
const oneV2 = { ...V2, ...ofOne } satisfies z.infer<typeof SingleUserV2>

/** Version 2 has the values of version 1 in words: local times, short ids, the e-mail address itself. */
const page = {
  description: 'The users of the team.',
  meta: { hasMore: z.boolean().meta({ description: 'Whether there are more. Without a `limit` all are returned.' }) },
  headers: ['Link'],
} as const satisfies ResponseDocs

export const userDocs = {
  listUsers: {
    tag,
    description: 'In the order of creation, without deleted users.',
    responses: { 200: { ...page, data: z.array(UserV1), example: { data: [V1], meta: { hasMore: false } } } },
  },
  getUser: {
    tag,
    description: 'With phone numbers, e-mail addresses and reportees: the users who have this user as their manager.',
    responses: { 200: { description: 'The user.', data: SingleUserV1, example: { data: oneV1 } } },
    errors: ['not_found'],
  },
  listUsersV2: {
    tag,
    description: 'With local times, short ids of team and role, and the plain e-mail address.',
    responses: { 200: { ...page, data: z.array(UserV2), example: { data: [V2], meta: { hasMore: false } } } },
  },
  getUserV2: {
    tag,
    description: 'With local times, short ids of team and role, and the plain e-mail address.',
    responses: { 200: { description: 'The user.', data: SingleUserV2, example: { data: oneV2 } } },
    errors: ['not_found'],
  },
  updateUser: {
    tag,
    description:
      'Only the first and last name can be changed. The display name follows them, unless it was set explicitly.',
    responses: { 200: { description: 'The updated user.', data: SingleUserV1, example: { data: oneV1 } } },
    errors: ['not_found', 'conflict'],
    example: { firstName: 'Asha', lastName: 'Rao' },
  },
  changeUserAccess: {
    tag,
    description:
      "The role, and whether the user can act. Within 30 seconds a deactivated user's sessions have ended, and keys that act for them are refused; the keys work again once the user is active. A new role counts in sessions; whoever becomes an admin signs in anew, without the sessions, links and passkeys of before; a key has a role of its own. Refused for oneself, for the last active admin, and for roles that you may not grant.",
    responses: {
      200: {
        description: 'The user.',
        data: SingleUserV1,
        example: { data: { ...oneV1, role: getRoleId('manager') } },
      },
    },
    errors: ['not_found', 'conflict'],
    example: { role: 'manager' },
  },
  createUser: {
    tag,
    description: 'Username and e-mail address are unique in the team.',
    responses: {
      201: { description: 'The new user.', data: SingleUserV1, headers: ['Location'], example: { data: oneV1 } },
    },
    errors: ['conflict'],
    example: {
      username: 'asha',
      email: 'Asha@acme.example',
      firstName: 'Asha',
      lastName: 'Rao',
      role: 'agent',
      timezone: '+0530',
    } satisfies z.input<typeof NewUser>,
  },
} satisfies Record<string, RouteDocs>
