import type { Usage } from 'caseworker'
import { dollarsOf } from './months.ts'

type Item = Usage['cost']['items'][number]['item']

const NAMES: Record<Item, string> = {
  requests: 'Requests',
  cpu: 'Processor time, ms',
  rowsRead: 'Rows read',
  rowsWritten: 'Rows written',
  jobEntries: 'Entries of jobs',
  messageReports: 'Reports about messages',
  webhookDeliveries: 'Deliveries of webhooks',
}

/** What the month costs, by what is paid for; what is worked out and not counted says so. */
export const CostTable = ({ cost: { items } }: Pick<Usage, 'cost'>) => (
  <table className="w-full text-[13px]">
    <caption className="sr-only">Cost by what is paid for</caption>
    <thead className="text-left text-ink-2">
      <tr className="border-b border-line">
        <th scope="col" className="px-4 py-2 font-medium">
          What
        </th>
        <th scope="col" className="px-4 py-2 text-right font-medium">
          How much
        </th>
        <th scope="col" className="px-4 py-2 text-right font-medium">
          Dollars
        </th>
      </tr>
    </thead>
    <tbody>
      {items.map(({ item, count, dollars, isEstimate }) => (
        <tr key={item} className="border-b border-line last:border-0">
          <th scope="row" className="px-4 py-2 text-left font-normal">
            {NAMES[item]} {isEstimate && <span className="text-ink-3">(estimate)</span>}
          </th>
          <td className="px-4 py-2 text-right">{Math.round(count).toLocaleString()}</td>
          <td className="px-4 py-2 text-right">{dollarsOf(dollars)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
