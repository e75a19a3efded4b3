import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import type { BrowserVisit, NewSession } from '../operations.ts'
import { signInByAddress } from '../sign-in-by-address.ts'
import type { AccessSettings } from './settings.ts'
import { verifyEmail } from './verify-assertion.ts'

/** Signs in a user whom Cloudflare Access has authenticated. The caller names the team. */
export async function signInByAccess(
  db: Db,
  { team, assertion }: { team: string; assertion: string | undefined },
  settings: AccessSettings | undefined,
  visit: BrowserVisit,
): Promise<NewSession | undefined> {
  if (!settings) throw new AppError('not_offered', 'signing in by Cloudflare Access is not set up here')
  if (assertion === undefined) throw accessRefusedError('this request did not come by Cloudflare Access')
  const email = await verifyEmail(assertion, settings, visit.now)
  return email === undefined ? undefined : signInByAddress(db, { team, email }, visit)
}

export const accessRefusedError = (message: string): AppError =>
  new AppError('unauthenticated', [{ message, path: '/header/cf-access-jwt-assertion' }])
