import type { LoggedRequest } from 'caseworker'
import { Badge } from '../parts/badge.tsx'

/** A refused request is a warning; a failure of the server or the provider is an error. */
export const RequestStatus = ({ of: { status, code } }: { of: Pick<LoggedRequest, 'status' | 'code'> }) => (
  <Badge tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{code ? `${status} ${code}` : status}</Badge>
)
