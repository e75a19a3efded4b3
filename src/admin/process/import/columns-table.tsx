import { type CellForm, getFormOptions, isNumberColumn } from 'import-file/cells'
import { Select } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { listUndecided, targetOptions } from './columns.ts'
import type { Plan } from './reading.ts'

interface ColumnsTableProps {
  plan: Plan
  /** The columns whose cells can be read in two ways. */
  unclear: readonly number[]
  onChange: (targets: string[], leftOut: number[]) => void
  onForm: (at: number, form: CellForm) => void
}

const SAMPLES = 3
const UNDECIDED = '?'

/** Shows the target of each column, with some of its values; each can be changed. */
export function ColumnsTable({ plan, unclear, onChange, onForm }: ColumnsTableProps) {
  const { csv, procedure, mode, targets, leftOut = [] } = plan
  const undecided = listUndecided(procedure, mode, plan)
  const ignored = csv.header.filter((_, at) => targets[at] === '' && !undecided.includes(at))
  const { forms = [] } = plan
  const choose = (at: number, target: string) =>
    // One target has one column: the earlier one is ignored.
    onChange(
      csv.header.map((_, each) => (each === at ? target : targets[each] === target ? '' : (targets[each] ?? ''))),
      [...leftOut.filter(each => each !== at), ...(target === '' ? [at] : [])],
    )
  return (
    <Card title="Columns" isBare>
      <table className="w-full text-left text-[13px]">
        <thead>
          <tr className="border-b border-line text-ink-2">
            <th scope="col" className="px-4 py-2 font-medium">
              In the file
            </th>
            <th scope="col" className="px-4 py-2 font-medium max-sm:hidden">
              Values
            </th>
            <th scope="col" className="px-4 py-2 font-medium">
              Goes to
            </th>
          </tr>
        </thead>
        <tbody>
          {csv.header.map((column, at) => {
            const isNumber = csv.workbook !== undefined && isNumberColumn(procedure, targets[at] ?? '')
            const offered = isNumber ? [] : getFormOptions(procedure, targets[at] ?? '')
            const samples = [...new Set(csv.first.map(({ cells }) => cells[at] ?? ''))].filter(cell => cell !== '')
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name, and none moves
              <tr key={`${column} ${at}`} className="border-b border-line last:border-0">
                <th scope="row" className="px-4 py-1.5 font-medium break-words">
                  {column || <span className="text-ink-3">no name</span>}
                </th>
                <td className="max-w-64 truncate px-4 py-1.5 text-ink-2 max-sm:hidden">
                  {samples.slice(0, SAMPLES).join(' · ')}
                </td>
                <td className="px-4 py-1.5">
                  <div className="flex flex-wrap gap-2">
                    <Select
                      aria-label={`${column} goes to`}
                      className={`w-auto! max-w-full ${targets[at] === '' ? 'text-ink-3' : ''}`}
                      value={undecided.includes(at) ? UNDECIDED : (targets[at] ?? '')}
                      onChange={event => event.target.value !== UNDECIDED && choose(at, event.target.value)}
                      options={[
                        ...(undecided.includes(at)
                          ? [{ value: UNDECIDED, label: column === '' ? 'Nothing stands in it' : 'Choose …' }]
                          : []),
                        ...targetOptions(procedure, mode, column),
                      ]}
                    />
                    {offered.length > 0 && (
                      <Select
                        aria-label={`${column} is written`}
                        className="w-auto! max-w-full text-ink-2"
                        value={unclear.includes(at) ? UNDECIDED : (forms[at] ?? 'asIs')}
                        onChange={({ target }) => {
                          const form = offered.find(({ value }) => value === target.value)
                          if (form) onForm(at, form.value)
                        }}
                        options={[
                          ...(unclear.includes(at) ? [{ value: UNDECIDED, label: 'Choose …' }] : []),
                          ...offered,
                        ]}
                      />
                    )}
                  </div>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {ignored.length > 0 && (
        <p className="border-t border-line px-4 py-2 text-[13px] text-ink-2">
          Ignored: {ignored.map(column => column || 'a column without a name').join(', ')}
        </p>
      )}
    </Card>
  )
}
