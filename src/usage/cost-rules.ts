import { ESTIMATES, PRICES } from './prices.ts'
import type { Usage, UsageFigures } from './schema.ts'

type CostItem = Usage['cost']['items'][number]

const item = (name: CostItem['item'], count: number, price: number, isEstimate: boolean): CostItem => ({
  item: name,
  count,
  dollars: rounded(count * price),
  isEstimate,
})

/** Rounds to a thousandth of a cent. */
const rounded = (dollars: number): number => Math.round(dollars * 1e5) / 1e5

/** Computes the cost of a month. The work of jobs, reports and deliveries is not in the rows of requests, so it is estimated. */
export function computeCost(total: UsageFigures): Usage['cost'] {
  const sent = Object.values(total.messages).reduce((sum, count) => sum + count, 0)
  const items = [
    item('requests', total.requests, PRICES.request, false),
    item('cpu', total.requests * ESTIMATES.cpuMsOfRequest, PRICES.cpuMs, true),
    item('rowsRead', total.rowsRead, PRICES.rowRead, false),
    item('rowsWritten', total.rowsWritten, PRICES.rowWritten, false),
    item('jobEntries', total.jobEntries, ESTIMATES.jobEntry, true),
    item('messageReports', sent, ESTIMATES.reportsOfMessage, true),
    item('webhookDeliveries', total.webhookDeliveries, ESTIMATES.webhookDelivery, true),
  ]
  return { dollars: rounded(items.reduce((sum, { dollars }) => sum + dollars, 0)), items }
}
