import type { GroupRequest, MetricRequest } from '../src/process/query/aggregate/parsed-aggregate.ts'

/** An aggregation, and how many rows it may read. */
export interface AggregateShape {
  name: string
  where?: unknown
  groupBy?: GroupRequest[]
  metrics?: MetricRequest[]
  aim?: number
}

/** Ten in eleven of `rows` processes belong to the procedure. */
export function aggregatesFor(rows: number, [mid, next]: [number, number]): AggregateShape[] {
  const all = Math.ceil((rows * 10) / 11) + 300
  const month: GroupRequest = { field: 'createdAt', by: 'month', timeZone: 'America/New_York' }
  return [
    { name: 'count all', aim: all },
    { name: 'count by state', groupBy: ['state'], aim: all },
    { name: 'count by status', groupBy: ['status'], aim: all },
    { name: 'count by city, indexed', groupBy: ['city'], aim: 2 * all },
    { name: 'count by customer code, indexed, 100,000 of them', groupBy: ['customerCode'], aim: 2 * all },
    { name: 'count by stage and state', groupBy: ['stage', 'state'] },
    { name: 'count OPEN (24 %)', where: { status: 'OPEN' }, aim: Math.ceil(0.26 * all) },
    { name: 'count of a city (0.9 %)', where: { city: 'city 7' }, aim: Math.ceil(0.01 * all) },
    { name: 'count of a city and OPEN', where: { city: 'city 7', status: 'OPEN' } },
    { name: 'count dealValue >= 990000 (1 %)', where: { dealValue: { '>=': 990_000 } }, aim: Math.ceil(0.011 * all) },
    { name: 'count dealValue >= 500000 (50 %)', where: { dealValue: { '>=': 500_000 } } },
    {
      name: 'count 20 cities',
      where: { city: Array.from({ length: 20 }, (_, index) => `city ${index}`) },
      aim: Math.ceil(0.19 * all),
    },
    { name: 'count of a day', where: { createdAt: { '>=': mid, '<': next } }, aim: 1_500 },
    { name: 'count by month, America/New_York', groupBy: [month], aim: 2 * all },
    { name: 'count by state and month', groupBy: ['state', month], aim: 3 * all },
    { name: 'sum dealValue', metrics: [{ sum: 'dealValue' }], aim: 2 * all },
    { name: 'sum dealValue by state', groupBy: ['state'], metrics: [{ sum: 'dealValue' }], aim: 2 * all },
    {
      name: 'sum dealValue of a city by state',
      where: { city: 'city 7' },
      groupBy: ['state'],
      metrics: [{ sum: 'dealValue' }],
      aim: Math.ceil(0.02 * all),
    },
    { name: 'avg score, not indexed', metrics: [{ avg: 'score' }] },
    { name: 'count by score, not indexed', groupBy: ['score'] },
    { name: 'max dealValue', metrics: [{ max: 'dealValue' }], aim: 3 },
    { name: 'count score = 100, not indexed (1 %)', where: { score: 100 } },
  ]
}
