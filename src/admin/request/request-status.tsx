import type { LoggedRequest } from 'caseworker'
import { Badge } from '../parts/badge.tsx'

/** Refused by what was asked is a warning; what the server or a provider failed at is bad. */
export const RequestStatus = ({ of: { status, code } }: { of: Pick<LoggedRequest, 'status' | 'code'> }) => (
  <Badge tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{code ? `${status} ${code}` : status}</Badge>
)
