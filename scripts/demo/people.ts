import type { NewUser } from '../../src/user/schema.ts'

/** The users of the demo team, besides its first admin. README and guides name `meera`, `jonas` and `lucia`. */
export const USERS = [
  user('meera', 'Meera', 'Iyer', 'manager', '+0530', 'meera@demo.example'),
  user('stefan', 'Stefan', 'Keller', 'manager', '+0100', 'stefan@demo.example'),
  user('priya', 'Priya', 'Nair', 'admin', '+0530', 'priya@demo.example'),
  user('jonas', 'Jonas', 'Weber', 'agent', '+0100', 'jonas@demo.example', 'meera'),
  user('lucia', 'Lucía', 'Ortega', 'agent', '-0500', 'lucia@demo.example', 'meera'),
  user('arjun', 'Arjun', 'Menon', 'agent', '+0530', 'arjun@demo.example', 'meera'),
  user('fatima', 'Fatima', 'Al Sayed', 'agent', '+0400', 'fatima@demo.example', 'stefan'),
  user('kwame', 'Kwame', 'Boateng', 'agent', '+0000', 'kwame@demo.example', 'stefan'),
  user('auditor', 'Ada', 'Okafor', 'viewer', '+0000', 'audit@demo.example'),
  user('olga', 'Olga', 'Lindqvist', 'viewer', '+0100', 'olga@demo.example', 'stefan'),
] as const

export const AGENTS = ['jonas', 'lucia', 'arjun', 'fatima', 'kwame'] as const
export const MANAGERS = ['meera', 'stefan', 'priya'] as const

function user(
  username: string,
  firstName: string,
  lastName: string,
  role: NewUser['role'],
  timezone: string,
  email: string,
  manager?: string,
): NewUser {
  return { username, firstName, lastName, role, timezone, email, ...(manager === undefined ? {} : { manager }) }
}
