import { Go } from './go.tsx'
import { formatDay } from './times.ts'

export interface Part {
  label: string
  value: number
  color: ChartColor
  /** The list that explains the number, below `/admin`. */
  to?: string
}

export type ChartColor = 'good' | 'warn' | 'bad' | 'info' | 'plain' | 1 | 2 | 3 | 4 | 5 | 6

const FILL: Record<ChartColor, string> = {
  good: 'var(--color-good)',
  warn: 'var(--color-warn)',
  bad: 'var(--color-bad)',
  info: 'var(--color-info)',
  plain: 'var(--color-line-strong)',
  1: 'var(--color-chart-1)',
  2: 'var(--color-chart-2)',
  3: 'var(--color-chart-3)',
  4: 'var(--color-chart-4)',
  5: 'var(--color-chart-5)',
  6: 'var(--color-chart-6)',
}

const percent = (value: number, total: number): string => `${total === 0 ? 0 : (100 * value) / total}%`

/** Shows proportions by color, such as the progress of a job, as one bar; its numbers are beside it. */
export function Bar({ parts, total, label }: { parts: readonly Part[]; total: number; label: string }) {
  const words = parts.map(each => `${each.label} ${each.value.toLocaleString()}`).join(', ')
  return (
    <div
      role="img"
      aria-label={`${label}: ${words} of ${total.toLocaleString()}`}
      className="drawn flex h-2 w-full overflow-hidden rounded-full bg-hover"
    >
      {parts
        .filter(({ value }) => value > 0)
        .map(each => (
          <div
            key={each.label}
            title={`${each.label} ${each.value.toLocaleString()}`}
            style={{ width: percent(each.value, total), background: FILL[each.color] }}
          />
        ))}
    </div>
  )
}

/** The colors of a bar or a chart, with names and numbers. */
export function Legend({ parts }: { parts: readonly Part[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[13px]">
      {parts.map(each => (
        <li key={each.label} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className="drawn size-2 rounded-full" style={{ background: FILL[each.color] }} />
          <span className="text-ink-2">{each.label}</span>{' '}
          <b className="font-medium">
            {each.to === undefined ? (
              each.value.toLocaleString()
            ) : (
              <Go to={each.to} className="underline decoration-line-strong underline-offset-2 hover:decoration-current">
                {each.value.toLocaleString()}
                <span className="sr-only"> {each.label}</span>
              </Go>
            )}
          </b>
        </li>
      ))}
    </ul>
  )
}

interface DaysProps {
  /** The subject of the chart: "Messages of the last 30 days". */
  label: string
  days: readonly { day: string; parts: readonly Part[] }[]
  /** A click on a day. Without a mouse, the numbers of the legend lead on. */
  onDay?: (day: string) => void
}

const HEIGHT = 96
const GAP = 2

/** Stacked columns by day. The figures are also a table, for those who do not see them. */
export function Days({ label, days, onDay }: DaysProps) {
  const totals = days.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0))
  const most = Math.max(1, ...totals)
  const width = 100 / Math.max(1, days.length)
  return (
    <figure className="relative m-0">
      <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" className="drawn h-24 w-full" aria-hidden="true">
        {days.map(({ day, parts }, nth) => {
          let top = HEIGHT
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the drawing is hidden from those who use no mouse
            <g key={day} className={onDay && 'cursor-pointer hover:opacity-80'} onClick={() => onDay?.(day)}>
              <title>{`${formatDay(day)}: ${parts.map(each => `${each.label} ${each.value.toLocaleString()}`).join(', ')}`}</title>
              <rect x={nth * width} y={0} width={width} height={HEIGHT} fill="transparent" />
              {parts.map(each => {
                const height = (each.value / most) * (HEIGHT - GAP)
                top -= height
                return (
                  <rect
                    key={each.label}
                    x={nth * width + width * 0.12}
                    y={top}
                    width={width * 0.76}
                    height={height}
                    fill={FILL[each.color]}
                  />
                )
              })}
            </g>
          )
        })}
      </svg>
      <figcaption className="flex justify-between text-xs text-ink-3">
        <span>{formatDay(days[0]?.day ?? '')}</span>
        {totals.some(total => total > 0) && <span>highest: {most.toLocaleString()}</span>}
        <span>{formatDay(days.at(-1)?.day ?? '')}</span>
      </figcaption>
      <div className="sr-only">
        <table>
          <caption>{label}</caption>
          <tbody>
            {days.map(({ day, parts }) => (
              <tr key={day}>
                <th scope="row">{formatDay(day)}</th>
                {parts.map(each => (
                  <td key={each.label}>{`${each.label}: ${each.value}`}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
