import { getFormOptions } from 'import-file/cells'
import { formatCsvLine } from 'import-file/csv'
import { createRowChecker } from 'import-file/faults'
import { useEffect, useMemo, useState } from 'react'
import { createFaultText } from '../../parts/attribute/fault-text.ts'
import { Button } from '../../parts/button.tsx'
import { TextArea, TextInput } from '../../parts/field.tsx'
import { Unsaved } from '../../parts/form/unsaved.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Card } from '../../parts/page.tsx'
import { FailureNote, Loading } from '../../parts/states.tsx'
import { rowsIn } from './csv-file.ts'
import type { RowFailures } from './failures.ts'
import { findFaultColumn } from './failures.ts'
import type { Plan } from './reading.ts'

/** A larger number of rows is better corrected in a spreadsheet. */
export const CORRECTED_HERE_ROWS_MAX = 200

interface CorrectionTableProps {
  plan: Plan
  failures: RowFailures
  onCorrected: (file: File) => void
}

/** The failed rows, their cells to be corrected here; then they go the way of the file, without those that are imported. */
export function CorrectionTable({ plan, failures, onCorrected }: CorrectionTableProps) {
  const [rows, setRows] = useState<FailedRow[]>()
  const [edited, setEdited] = useState<Readonly<Record<number, readonly string[]>>>({})
  const [error, setError] = useState<unknown>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the rows have failed
  useEffect(() => {
    readFailedRows(plan, failures).then(setRows, setError)
  }, [])
  if (error) return <FailureNote error={error} />
  if (!rows) return <Loading lines={3} />
  const shown = plan.targets.flatMap((target, at) => (target === '' ? [] : [at]))
  const corrected = rows.map(row => ({ ...row, cells: edited[row.index] ?? row.cells }))
  const isEdited = Object.keys(edited).length > 0
  return (
    <Card
      title="Correct them here"
      isBare
      actions={
        <Button
          tone="main"
          icon="check"
          disabled={!isEdited}
          onClick={() => {
            setEdited({})
            onCorrected(
              toCorrectedFile(
                plan,
                corrected.map(({ cells }) => cells),
              ),
            )
          }}
        >
          Check them again
        </Button>
      }
    >
      {shown.map(at => (
        <datalist key={plan.targets[at]} id={knownList(at)}>
          {listKnownValues(plan, at).map(value => (
            <option key={String(value)} value={String(value)} />
          ))}
        </datalist>
      ))}
      <Unsaved isUnsaved={isEdited} what="the corrected rows" />
      <table className="w-full text-left text-[13px]">
        <thead>
          <tr className="border-b border-line text-ink-2">
            <th scope="col" className="px-3 py-2 text-right font-medium">
              Line
            </th>
            {shown.map(at => (
              <th key={plan.targets[at]} scope="col" className="px-1 py-2 font-medium whitespace-nowrap">
                {plan.csv.header[at]}
                {getForm(plan, at) !== undefined && (
                  <span className="block text-xs font-normal text-ink-3">{getForm(plan, at)}</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {corrected.map(row => (
            <CorrectedRow
              key={row.index}
              plan={plan}
              row={row}
              reason={failures.get(row.index)?.message ?? ''}
              isEdited={edited[row.index] !== undefined}
              shown={shown}
              onChange={cells => setEdited(now => ({ ...now, [row.index]: cells }))}
            />
          ))}
        </tbody>
      </table>
    </Card>
  )
}

/** Returns the form of the cells of a column, where that matters: "Day, month, year: 31.12.2026". */
function getForm({ procedure, targets, forms = [] }: Plan, at: number): string | undefined {
  const chosen = forms[at] ?? 'asIs'
  const label = getFormOptions(procedure, targets[at] ?? '').find(({ value }) => value === chosen)?.label
  return label === undefined || chosen !== 'asIs' ? label : `as ${label}`
}

const knownList = (at: number): string => `known-${at}`

/** Lists the values that a column may have; none if anything is allowed. */
function listKnownValues({ procedure, targets }: Plan, at: number): readonly unknown[] {
  if (targets[at] === 'state') return procedure.states.map(({ name, shortId }) => name || shortId)
  return procedure.attributes.find(({ shortId }) => shortId === targets[at])?.values ?? []
}

interface CellProps {
  label: string
  isFaulty: boolean
  /** The id of what says why. */
  why: string
  known: string
  text: string
  onChange: (text: string) => void
}

/** A cell with line ends in it keeps them. */
function Cell({ label, isFaulty, why, known, text, onChange }: CellProps) {
  const props = {
    'aria-label': label,
    'aria-invalid': isFaulty ? true : undefined,
    'aria-describedby': why,
    dir: 'auto',
    className: 'min-w-24',
    value: text,
  }
  return /[\r\n]/.test(text) ? (
    <TextArea {...props} rows={2} onChange={event => onChange(event.target.value)} />
  ) : (
    <TextInput {...props} list={known} onChange={event => onChange(event.target.value)} />
  )
}

interface CorrectedRowProps {
  plan: Plan
  row: FailedRow
  /** The reason why the row failed. */
  reason: string
  isEdited: boolean
  /** The columns that go anywhere. */
  shown: readonly number[]
  onChange: (cells: readonly string[]) => void
}

function CorrectedRow({ plan, row: { index, line, cells }, reason, isEdited, shown, onChange }: CorrectedRowProps) {
  const fault = useMemo(() => createRowChecker(plan)({ line, cells }).fault, [plan, line, cells])
  // A row without a fault by the definition was refused because of stored data: only the API knows whether the
  // correction helps.
  const message = fault ?? (isEdited ? undefined : reason)
  const faulty = message === undefined ? undefined : findFaultColumn(plan, message)
  const change = (at: number, text: string) =>
    onChange(plan.csv.header.map((_, each) => (each === at ? text : (cells[each] ?? ''))))
  return (
    <>
      <tr className="align-top">
        <td className="px-3 pt-2.5 text-right text-ink-3">{line}</td>
        {shown.map(at => (
          <td key={plan.targets[at]} className="px-1 pt-1.5">
            <Cell
              label={`${plan.csv.header[at]}, line ${line}`}
              isFaulty={faulty === at}
              why={`why-${index}`}
              known={knownList(at)}
              text={cells[at] ?? ''}
              onChange={text => change(at, text)}
            />
          </td>
        ))}
      </tr>
      <tr className="border-b border-line last:border-0">
        <td />
        <td id={`why-${index}`} colSpan={shown.length} className="px-1 pt-0.5 pb-2">
          {message === undefined ? (
            <span className="inline-flex items-center gap-1 text-good">
              <Icon name="check" /> can be imported
            </span>
          ) : (
            <span className="text-bad">{createFaultText(plan.procedure)({ message })}</span>
          )}
        </td>
      </tr>
    </>
  )
}

interface FailedRow {
  index: number
  line: number
  cells: readonly string[]
}

/** Reads the failed rows of a file. */
async function readFailedRows({ csv }: Pick<Plan, 'csv'>, failures: RowFailures): Promise<FailedRow[]> {
  const rows: FailedRow[] = []
  let index = 0
  for await (const { line, cells } of rowsIn(csv)) {
    if (failures.has(index)) rows.push({ index, line, cells })
    index += 1
  }
  return rows
}

const CORRECTED = ' (corrected)'

/** The corrected rows as a file of their own: what was imported already is not in it. */
function toCorrectedFile({ csv }: Pick<Plan, 'csv'>, rows: readonly (readonly string[])[]): File {
  const lines = [formatCsvLine(csv.header, csv.separator), ...rows.map(cells => formatCsvLine(cells, csv.separator))]
  const name = csv.file.name
    .replace(CORRECTED, '')
    .replace(/(\.[^.]*)?$/, ending => `${CORRECTED}${csv.workbook ? '.csv' : ending}`)
  return new File(lines, name, { type: 'text/csv' })
}
