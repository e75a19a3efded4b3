import { getRoleId } from '../roles.ts'
import type { Team } from '../scope.ts'
import type { UserWithReportees } from './operations.ts'
import { formatLocalTime } from './rules.ts'
import type { Email, UserV1, UserV2 } from './schema.ts'
import type { UserRow } from './store.ts'

const viewEmail = ({ emailId, email, normalizedEmail, createdAt, id }: UserRow): Email | null =>
  emailId === null || email === null
    ? null
    : {
        id: emailId,
        createdAt,
        updatedAt: createdAt,
        email,
        normalizedEmail: normalizedEmail ?? email,
        type: '',
        isVerified: false,
        user: id,
      }

/** Converts a user into the list shape of version 1, from which the other shapes are made. */
export const viewUserV1 = (team: Team, row: UserRow): UserV1 => ({
  id: row.id,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  username: row.username,
  firstName: row.firstName,
  lastName: row.lastName,
  middleName: row.middleName,
  displayName: row.displayName,
  gender: '',
  dob: 0,
  bio: '',
  profileImageUrl: '',
  coverImageUrl: '',
  timezone: row.timezone,
  data: null,
  onboardingData: null,
  isActive: row.isActive,
  isDeleted: row.deletedAt !== null,
  deletedAt: row.deletedAt,
  availabilityStatus: 'AVAILABLE',
  team: team.id,
  role: getRoleId(row.role),
  primaryEmail: viewEmail(row),
  primaryPhone: null,
  profile: null,
})

/** Converts a user into version 2, which has the same in words: local times, names for ids, the e-mail address itself. */
export const viewUserV2 = (team: Team, row: UserRow): UserV2 => ({
  ...viewUserV1(team, row),
  createdAt: formatLocalTime(row.createdAt, row.timezone),
  updatedAt: formatLocalTime(row.updatedAt, row.timezone),
  team: team.shortId,
  role: row.role,
  primaryEmail: row.email,
})

const viewSingle =
  <Shape extends object>(view: (team: Team, row: UserRow) => Shape) =>
  (team: Team, { row, reportees }: UserWithReportees) => {
    const email = viewEmail(row)
    return {
      phones: [],
      emails: email === null ? [] : [email],
      ...view(team, row),
      reportees: reportees.map(each => view(team, each)),
    }
  }

export const viewSingleUserV1 = viewSingle(viewUserV1)
export const viewSingleUserV2 = viewSingle(viewUserV2)
