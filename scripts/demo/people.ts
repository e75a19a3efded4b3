import type { NewUser } from '../../src/user/schema.ts'

/** The users of the demo team, besides its first admin. README and guides name `meera`, `jonas` and `lucia`. */
export const USERS = [
  user('meera', 'Meera Iyer', { role: 'manager', timezone: '+0530' }),
  user('stefan', 'Stefan Keller', { role: 'manager', timezone: '+0100' }),
  user('priya', 'Priya Nair', { role: 'admin', timezone: '+0530' }),
  user('jonas', 'Jonas Weber', { role: 'agent', timezone: '+0100', manager: 'meera' }),
  user('lucia', 'Lucía Ortega', { role: 'agent', timezone: '-0500', manager: 'meera' }),
  user('arjun', 'Arjun Menon', { role: 'agent', timezone: '+0530', manager: 'meera' }),
  user('fatima', 'Fatima Al Sayed', { role: 'agent', timezone: '+0400', manager: 'stefan' }),
  user('kwame', 'Kwame Boateng', { role: 'agent', timezone: '+0000', manager: 'stefan' }),
  user('auditor', 'Ada Okafor', { role: 'viewer', timezone: '+0000', email: 'audit@demo.example' }),
  user('olga', 'Olga Lindqvist', { role: 'viewer', timezone: '+0100', manager: 'stefan' }),
] as const

export const AGENTS = ['jonas', 'lucia', 'arjun', 'fatima', 'kwame'] as const
export const MANAGERS = ['meera', 'stefan', 'priya'] as const

type UserDetails = Pick<NewUser, 'role' | 'timezone' | 'manager'> & { email?: string }

function user(
  username: string,
  name: string,
  { email = `${username}@demo.example`, ...details }: UserDetails,
): NewUser {
  const [firstName = '', ...rest] = name.split(' ')
  return { username, firstName, lastName: rest.join(' '), email, ...details }
}
