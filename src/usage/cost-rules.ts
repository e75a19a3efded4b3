import { ESTIMATES, PRICES } from './prices.ts'
import type { Usage, UsageFigures } from './schema.ts'

type CostItem = Usage['cost']['items'][number]

const toItem = (name: CostItem['item'], count: number, price: number, isEstimate: boolean): CostItem => ({
  item: name,
  count,
  dollars: roundDollars(count * price),
  isEstimate,
})

/** Rounds to a thousandth of a cent. */
const roundDollars = (dollars: number): number => Math.round(dollars * 1e5) / 1e5

/** Computes the cost of a month. The work of jobs, reports and deliveries is not in the rows of requests, so it is estimated. */
export function computeCost(total: UsageFigures): Usage['cost'] {
  const sent = Object.values(total.messages).reduce((sum, count) => sum + count, 0)
  const items = [
    toItem('requests', total.requests, PRICES.request, false),
    toItem('cpu', total.requests * ESTIMATES.cpuMsOfRequest, PRICES.cpuMs, true),
    toItem('rowsRead', total.rowsRead, PRICES.rowRead, false),
    toItem('rowsWritten', total.rowsWritten, PRICES.rowWritten, false),
    toItem('jobEntries', total.jobEntries, ESTIMATES.jobEntry, true),
    toItem('messageReports', sent, ESTIMATES.reportsOfMessage, true),
    toItem('webhookDeliveries', total.webhookDeliveries, ESTIMATES.webhookDelivery, true),
  ]
  return { dollars: roundDollars(items.reduce((sum, { dollars }) => sum + dollars, 0)), items }
}
