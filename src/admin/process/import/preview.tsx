import { createRowChecker } from 'import-file/faults'
import { useMemo } from 'react'
import { createFaultText } from '../../parts/attribute/fault-text.ts'
import { Card } from '../../parts/page.tsx'
import { targetOptions } from './columns.ts'
import { findFaultColumn } from './failures.ts'
import { type Plan, showCell } from './reading.ts'

/** The first rows as they will be read, with what is wrong with them. */
export function Preview({ plan }: { plan: Plan }) {
  const rows = useMemo(() => {
    const read = createRowChecker(plan)
    return plan.csv.first.map(row => ({ ...row, ...read(row) }))
  }, [plan])
  const shown = plan.targets.flatMap((target, at) => (target === '' ? [] : [{ target, at }]))
  const faulty = rows.filter(({ fault }) => fault !== undefined).length
  const words = createFaultText(plan.procedure)
  const getLabel = (target: string) =>
    targetOptions(plan.procedure, plan.mode, target)
      .find(({ value }) => value === target)
      ?.label.split(' · ')[0] ?? target
  return (
    <Card
      title={faulty === 0 ? 'The first rows' : `The first rows: ${faulty} of ${rows.length} can’t be taken as they are`}
      isBare
    >
      <section
        aria-label="The first rows"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        className="overflow-x-auto"
      >
        <table className="w-full text-left text-[13px]">
          <thead>
            <tr className="border-b border-line text-ink-2">
              <th scope="col" className="px-3 py-2 text-right font-medium">
                Line
              </th>
              {faulty > 0 && (
                <th scope="col" className="px-3 py-2 font-medium">
                  Why not
                </th>
              )}
              {shown.map(({ target }) => (
                <th key={target} scope="col" className="px-3 py-2 font-medium whitespace-nowrap">
                  {getLabel(target)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ line, cells, fault }) => {
              const wrong = fault === undefined ? undefined : findFaultColumn(plan, fault)
              return (
                <tr key={line} className={`border-b border-line align-top last:border-0 ${fault ? 'bg-bad-soft' : ''}`}>
                  <td className="px-3 py-1.5 text-right text-ink-2">{line}</td>
                  {faulty > 0 && (
                    <td className="min-w-56 px-3 py-1.5 text-bad">{fault && words({ message: fault })}</td>
                  )}
                  {shown.map(({ target, at }) => (
                    <td
                      key={target}
                      dir="auto"
                      className={`max-w-60 truncate px-3 py-1.5 ${at === wrong ? 'font-medium text-bad underline decoration-wavy' : ''}`}
                    >
                      {fault === undefined ? showCell(plan, at, cells[at] ?? '') : cells[at]}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
    </Card>
  )
}
