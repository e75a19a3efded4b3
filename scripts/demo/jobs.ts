import { DAY_MS, HOUR_MS } from '../../src/time-units.ts'
import type { ApiResource, Caller } from './caller.ts'

const JOBS = '/v1/ext/background-job'
const REQUESTS = '/v1/ext/procedure/service_request/process'
const FIRST_REQUEST = 20_001

/** Lists the numbers of service requests, `count` from the first on. */
const requests = (first: number, count: number) =>
  Array.from({ length: count }, (_, nth) => ({ request_id: String(FIRST_REQUEST + first + nth) }))

/** Jobs that have ended well and not so well, one that waits for its time, and one that was called off. */
export async function makeJobs({ call }: Caller, now: number): Promise<void> {
  const known = await call<ApiResource[]>('GET', `${JOBS}?limit=1`)
  if (known.length > 0) return
  await call('PATCH', '/v1/ext/procedure/enquiry/process', {
    where: { status: 'OPEN', city: ['Jaipur', 'Lucknow'] },
    update: { assignedTo: 'arjun' },
  })
  await call('PATCH', '/v1/ext/procedure/enquiry/process', {
    where: { status: 'OPEN', country: 'Germany', state: ['QUALIFIED', 'OFFER_SENT'] },
    update: { data: { notes: 'The price list of December applies.' } },
  })
  await call('PATCH', REQUESTS, { processes: mixedUpdates() })
  await call('POST', JOBS, { startAt: tomorrow(now), entries: [...entries(0, 40)] })
  const { id } = await call('POST', JOBS, { startAt: tomorrow(now) + 2 * DAY_MS, entries: [...entries(60, 15)] })
  await call('POST', `${JOBS}/${id}/cancel`)
}

/** Six in the morning, in India. */
const tomorrow = (now: number): number => now - (now % DAY_MS) + DAY_MS + HOUR_MS / 2

/** The updates as in a hand-made file: some keys are unknown, some transitions forbidden, some values wrong. */
const mixedUpdates = () => [
  ...requests(0, 42).map(each => ({ ...each, update: { data: { satisfaction: 4 } } })),
  ...requests(8_000, 11).map(each => ({ ...each, update: { data: { satisfaction: 5 } } })),
  ...requests(100, 9).map(each => ({ ...each, state: 'ESCALATED' })),
  ...requests(200, 6).map(each => ({ ...each, update: { data: { priority: 9 } } })),
  ...requests(300, 4).map(each => ({ ...each, update: { assignedTo: 'nobody' } })),
  ...requests(400, 5).map(each => ({ ...each, update: { data: { satisfacton: 3 } } })),
]

const entries = (first: number, count: number) =>
  requests(first, count).map(({ request_id }) => ({
    apiType: 'PROCESS_UPDATE',
    apiData: {
      procedureId: 'service_request',
      primaryKeyShortId: 'request_id',
      primaryKeyValue: request_id,
      processUpdate: { data: { resolution: 'Closed after three months.' } },
    },
  }))
