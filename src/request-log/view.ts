import { readCreatedAt, toRowNo } from '../ids.ts'
import type { RequestLine } from './line.ts'
import type { LoggedRequest } from './schema.ts'

export const viewRequest = (line: RequestLine): LoggedRequest => ({
  id: line.id,
  createdAt: readCreatedAt(toRowNo(line.id)),
  method: line.method,
  operation: line.operation,
  path: line.path,
  status: line.status,
  code: line.code,
  faults: line.faults ?? [],
  apiKey: 'apiKey' in line.by ? line.by.apiKey : null,
  session: 'session' in line.by ? line.by.session : null,
  user: line.user,
  address: line.address ?? null,
  ms: line.ms,
  database: { trips: line.trips, rowsRead: line.read, rowsWritten: line.written, ms: line.databaseMs },
})
