import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Procedure } from 'caseworker'
import { arePointsUnclear, type CellForm, isNumberColumn, proposeForm } from 'import-file/cells'
import { type ImportMode, proposeTargets, type Targets } from 'import-file/columns'
import { useRef, useState } from 'react'
import { useMay } from '../../api/me.ts'
import { Button } from '../../parts/button.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, FailureNote } from '../../parts/states.tsx'
import { OfProcedure } from '../list/of-procedure.tsx'
import { toListLink } from '../process-link.tsx'
import { ChooseFile } from './choose-file.tsx'
import { targetsFault } from './columns.ts'
import { ColumnsTable } from './columns-table.tsx'
import { type CsvFile, openTable } from './csv-file.ts'
import { Preview } from './preview.tsx'
import type { Plan } from './reading.ts'
import { ImportSteps } from './step/import-steps.tsx'

const ADDRESS = '/procedure/$procedureShortId/import' as const

export function ImportPage() {
  const { procedureShortId } = useParams({ from: `/frame${ADDRESS}` })
  const may = useMay()
  if (!may('process:write'))
    return (
      <Page title="Import">
        <Empty icon="upload" title="Your role may not import">
          It may not create or change processes.
        </Empty>
      </Page>
    )
  return (
    <OfProcedure shortId={procedureShortId}>
      {procedure => <ProcedureImport key={procedure.id} procedure={procedure} />}
    </OfProcedure>
  )
}

const listModes = ({ primaryKey, attributes }: Procedure): { value: ImportMode; label: string }[] => {
  const key = attributes.find(({ shortId }) => shortId === primaryKey)?.name
  return [
    { value: 'create', label: 'Create a process for each row' },
    ...(key === undefined ? [] : [{ value: 'upsert', label: `Create, or change what has the same ${key}` } as const]),
    {
      value: 'update',
      label: key === undefined ? 'Change processes, by their id' : `Change processes, by their id or ${key}`,
    },
  ]
}

interface Chosen {
  csv: CsvFile
  targets: Targets
  forms: readonly CellForm[]
  /** The columns that somebody has chosen to ignore. */
  leftOut: readonly number[]
  /** True if its rows were corrected on this page: it is checked at once. */
  isCorrected?: boolean
}

/** Proposes the form of each column's cells, by its target and its first cells. */
const proposeForms = (procedure: Procedure, { header, first, workbook }: CsvFile, targets: Targets): CellForm[] =>
  header.map((_, at) =>
    workbook && isNumberColumn(procedure, targets[at] ?? '')
      ? 'asIs'
      : proposeForm(
          procedure,
          targets[at] ?? '',
          first.map(({ cells }) => cells[at] ?? ''),
        ),
  )

/** Lists the columns in which the point of `1.234` is ambiguous, unless their form is chosen. */
const listUnclearPoints = (procedure: Procedure, { csv, targets }: Pick<Chosen, 'csv' | 'targets'>): boolean[] =>
  targets.map((target, at) => {
    const cells = csv.first.map(row => row.cells[at] ?? '')
    return csv.workbook === undefined && arePointsUnclear(procedure, target, { cells, separator: csv.separator })
  })

/** The corrected rows of a file go where the file went. */
function keepTargets(before: Chosen | undefined, proposed: Targets, header: readonly string[]): Targets {
  const earlier = new Map(before?.csv.header.map((column, at) => [column, before.targets[at] ?? '']))
  const isSame = header.every((column, at) => earlier.has(column) || proposed[at] === '')
  return isSame ? header.map((column, at) => earlier.get(column) ?? proposed[at] ?? '') : proposed
}

/** Returns the columns that stay ignored, because they were in the file before with the same headings. */
const keepLeftOut = (before: Chosen | undefined, targets: Targets, header: readonly string[]): number[] =>
  [...header.keys()].filter(
    at => targets[at] === '' && before?.leftOut.some(each => before.csv.header[each] === header[at]),
  )

/** Imports a file as processes: its columns, a check of all of it, then the jobs, and the failed rows to correct. */
function ProcedureImport({ procedure }: { procedure: Procedure }) {
  const { mode = 'create' } = useSearch({ from: `/frame${ADDRESS}` })
  const navigate = useNavigate({ from: ADDRESS })
  const [chosen, setChosen] = useState<Chosen>()
  /** Another file is being chosen: the columns of the one before are remembered. */
  const [isChoosing, setChoosing] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const modes = listModes(procedure)
  /** Counts the opened files: a small one may be read before a large one that was chosen first. */
  const opened = useRef(0)
  const open = async (file: File, { isCorrected = false, sheet }: { isCorrected?: boolean; sheet?: string } = {}) => {
    opened.current += 1
    const own = opened.current
    setFailure(undefined)
    try {
      const csv = await openTable(file, sheet)
      if (opened.current !== own) return
      setChoosing(false)
      setChosen(before => {
        const targets = keepTargets(before, proposeTargets(procedure, mode, csv.header, csv.first), csv.header)
        const forms = isCorrected && before ? before.forms : proposeForms(procedure, csv, targets)
        return { csv, targets, forms, leftOut: keepLeftOut(before, targets, csv.header), isCorrected }
      })
    } catch (error) {
      if (opened.current === own) setFailure(error)
    }
  }
  const place = (csv: CsvFile, targets: Targets, leftOut: readonly number[]) =>
    setChosen({ csv, targets, forms: proposeForms(procedure, csv, targets), leftOut })
  const chooseMode = (next: ImportMode) => {
    void navigate({ search: next === 'create' ? {} : { mode: next }, replace: true })
    if (!chosen) return
    const { csv } = chosen
    const targets = proposeTargets(procedure, next, csv.header, csv.first)
    place(csv, targets, keepLeftOut(chosen, targets, csv.header))
  }
  const plan: Plan | undefined =
    chosen && !isChoosing
      ? {
          ...chosen,
          header: chosen.csv.header,
          separator: chosen.csv.separator,
          procedure,
          mode,
          unclearPoints: listUnclearPoints(procedure, chosen),
        }
      : undefined
  const fault = plan && targetsFault(procedure, mode, plan.targets, plan)
  return (
    <Page
      title={`Import into ${procedure.name}`}
      within={[toListLink(procedure)]}
      actions={plan && <Button onClick={() => setChoosing(true)}>Another file …</Button>}
    >
      {failure !== undefined && <FailureNote error={failure} />}
      {plan === undefined ? (
        <ChooseFile title={`Processes of ${procedure.name} from a file`} onFile={file => void open(file)} />
      ) : (
        <ImportSteps
          plan={plan}
          fault={fault}
          isCorrected={chosen?.isCorrected === true}
          onFile={file => void open(file)}
          onCorrected={file => void open(file, { isCorrected: true })}
        >
          <div className="max-w-md">
            <Field label="What the rows are">
              {field => (
                <Select
                  {...field}
                  value={mode}
                  onChange={event =>
                    chooseMode(modes.find(({ value }) => value === event.target.value)?.value ?? 'create')
                  }
                  options={modes}
                />
              )}
            </Field>
            {plan.csv.workbook && plan.csv.workbook.sheets.length > 1 && (
              <Field label="Sheet">
                {field => (
                  <Select
                    {...field}
                    value={plan.csv.workbook?.sheet ?? ''}
                    onChange={({ target }) =>
                      plan.csv.workbook && void open(plan.csv.workbook.file, { sheet: target.value })
                    }
                    options={(plan.csv.workbook?.sheets ?? []).map(name => ({ value: name, label: name }))}
                  />
                )}
              </Field>
            )}
          </div>
          <ColumnsTable
            plan={plan}
            onChange={(targets, leftOut) => place(plan.csv, targets, leftOut)}
            onForms={forms => chosen && setChosen({ ...chosen, forms, isCorrected: false })}
          />
          {fault === undefined && <Preview plan={plan} />}
        </ImportSteps>
      )}
    </Page>
  )
}
