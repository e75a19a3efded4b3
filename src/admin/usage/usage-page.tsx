import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Usage } from 'caseworker'
import { useConfig } from '../api/me.ts'
import { read } from '../api/read.ts'
import { LinkButton } from '../parts/button.tsx'
import { Days } from '../parts/chart.tsx'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { howMany } from '../parts/text/number-text.ts'
import { costAtEnd, formatDollars, monthBeside, monthName } from './months.ts'

const route = getRouteApi('/frame/usage')
/** The cost of a month that is over does not change, so it is cached for long. */
const KEPT_MS = 60 * 60_000

/** Shows the team's usage of a month, its cost, and the limits of the team. */
export function UsagePage() {
  const { month } = route.useSearch()
  const usage = useQuery(read('getUsage', { query: month === undefined ? {} : { month } }))
  const shown = usage.data?.data.month
  return (
    <Page
      title={shown === undefined ? 'Usage' : `Usage in ${monthName(shown)}`}
      actions={
        shown !== undefined && (
          <>
            <LinkButton to="/usage" search={{ month: monthBeside(shown, -1) }} icon="left">
              {monthName(monthBeside(shown, -1))}
            </LinkButton>
            {month !== undefined && (
              <>
                <LinkButton to="/usage" search={{ month: monthBeside(shown, 1) }} icon="right">
                  {monthName(monthBeside(shown, 1))}
                </LinkButton>
                <LinkButton to="/usage" search={{}}>
                  This month
                </LinkButton>
              </>
            )}
          </>
        )
      }
    >
      <Loaded query={usage}>{({ data }) => <Figures usage={data} />}</Loaded>
    </Page>
  )
}

function Figures({ usage: { month, days, total, cost, limits, isComplete } }: { usage: Usage }) {
  const roles = useConfig()?.roles
  const roleName = (shortId: string) => roles?.find(role => role.shortId === shortId)?.name ?? shortId
  return (
    <>
      {!isComplete && (
        <p className="rounded-md bg-warn-soft px-3 py-2">
          Not all messages could be counted in time: those of the first days are missing.
        </p>
      )}
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Card title="Requests by day">
          <p className="mb-3 text-2xl font-semibold">{total.requests.toLocaleString()}</p>
          <Days
            label="Requests by day"
            days={days.map(({ day, requests, failed }) => ({
              day,
              parts: [
                { label: 'succeeded', value: requests - failed, color: 1 },
                { label: 'failed', value: failed, color: 'bad' },
              ],
            }))}
          />
        </Card>
        <Card title="Messages by day">
          <p className="mb-3 text-2xl font-semibold">
            {Object.values(total.messages)
              .reduce((sum, each) => sum + each, 0)
              .toLocaleString()}
          </p>
          <Days
            label="Messages by day"
            days={days.map(({ day, messages }) => ({
              day,
              parts: [
                { label: 'delivered', value: messages.DELIVERED + messages.READ, color: 'good' },
                { label: 'sent', value: messages.SENT + messages.PENDING, color: 'info' },
                { label: 'unknown', value: messages.UNKNOWN, color: 'warn' },
                { label: 'failed', value: messages.FAILED, color: 'bad' },
              ],
            }))}
          />
        </Card>
        <Card title={`Cost at list prices: ${formatDollars(cost.dollars)}`} isBare>
          <CostTable cost={cost} />
          <MonthForecast month={month} dollars={cost.dollars} />
          <p className="border-t border-line px-4 py-2 text-[13px] text-ink-2">
            Requests and the rows that they read and wrote are counted. What says estimate is worked out from typical
            figures. Storage, and what a plan includes, are left out.{' '}
            <a href="/docs/costs" target="_blank" rel="noreferrer" className="underline">
              How it is worked out
            </a>
          </p>
        </Card>
        <Card title="Totals and limits">
          <Facts
            facts={[
              ['Jobs', `${total.jobs.toLocaleString()} with ${howMany(total.jobEntries, 'entry', 'entries')}`],
              ['Events', total.events.toLocaleString()],
              ['Webhook deliveries', total.webhookDeliveries.toLocaleString()],
              ['Rows read', total.rowsRead.toLocaleString()],
              ['Rows written', total.rowsWritten.toLocaleString()],
              ...Object.entries(limits.callsPerMinute).map(
                ([role, calls]) => [`Requests a minute, ${roleName(role)}`, calls.toLocaleString()] as const,
              ),
            ]}
          />
        </Card>
      </div>
    </>
  )
}

/** Shows the estimated cost of the month, and that of the month before. */
function MonthForecast({ month, dollars }: { month: string; dollars: number }) {
  const before = monthBeside(month, -1)
  const earlier = useQuery({ ...read('getUsage', { query: { month: before } }), staleTime: KEPT_MS })
  const atEnd = costAtEnd(month, dollars, Date.now())
  const past = earlier.data?.data.cost.dollars
  if (atEnd === undefined && past === undefined) return null
  return (
    <p className="border-t border-line px-4 py-2 text-[13px]">
      {atEnd !== undefined && `About ${formatDollars(atEnd)} by the end of the month, if it goes on like this. `}
      {past !== undefined && `${monthName(before)} came to ${formatDollars(past)}.`}
    </p>
  )
}

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

/** Lists the cost of the month by item; estimated items are marked. */
const CostTable = ({ cost: { items } }: Pick<Usage, 'cost'>) => (
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
          <td className="px-4 py-2 text-right">{formatDollars(dollars)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
