import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Procedure } from 'caseworker'
import type { ImportMode } from 'import-file/columns'
import { useMemo, useRef, useState } from 'react'
import { useMay } from '../../api/me.ts'
import { Button } from '../../parts/button.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, FailureNote } from '../../parts/states.tsx'
import { OfProcedure } from '../list/of-procedure.tsx'
import { toListLink } from '../process-link.tsx'
import {
  bringBack,
  type Choice,
  chooseFile,
  chooseMode,
  correctFile,
  placeColumns,
  planChoice,
  stateForm,
} from './choice.ts'
import { ChooseFile } from './choose-file.tsx'
import { ColumnsTable } from './columns-table.tsx'
import { openTable } from './csv-file.ts'
import { Preview } from './preview.tsx'
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

/** Imports a file as processes: its columns, a check of all of it, then the jobs, and the failed rows to correct. */
function ProcedureImport({ procedure }: { procedure: Procedure }) {
  const { mode = 'create' } = useSearch({ from: `/frame${ADDRESS}` })
  const navigate = useNavigate({ from: ADDRESS })
  const [chosen, setChosen] = useState<Choice>()
  /** Another file is being chosen: the columns of the one before are remembered. */
  const [isChoosing, setChoosing] = useState(false)
  const [isSending, setSending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const modes = listModes(procedure)
  /** Counts the opened files: a small one may be read before a large one that was chosen first. */
  const opened = useRef(0)
  const open = async (file: File, { follow, sheet }: { follow?: 'corrected' | 'back'; sheet?: string } = {}) => {
    opened.current += 1
    const own = opened.current
    setFailure(undefined)
    try {
      const csv = await openTable(file, sheet)
      if (opened.current !== own) return
      setChoosing(false)
      setChosen(before => {
        if (before === undefined || follow === undefined) return chooseFile(procedure, mode, csv, before)
        return follow === 'back' ? bringBack(procedure, mode, csv, before) : correctFile(before, csv)
      })
    } catch (error) {
      if (opened.current === own) setFailure(error)
    }
  }
  const goToMode = (next: ImportMode) => {
    void navigate({ search: next === 'create' ? {} : { mode: next }, replace: true })
    setChosen(before => before && chooseMode(procedure, next, before))
  }
  const planned = useMemo(
    () => (chosen && !isChoosing ? { ...planChoice(procedure, mode, chosen), chosen } : undefined),
    [procedure, mode, chosen, isChoosing],
  )
  const workbook = planned?.plan.csv.workbook
  return (
    <Page
      title={`Import into ${procedure.name}`}
      within={[toListLink(procedure)]}
      actions={planned && !isSending && <Button onClick={() => setChoosing(true)}>Another file …</Button>}
    >
      {failure !== undefined && <FailureNote error={failure} />}
      {planned === undefined ? (
        <ChooseFile title={`Processes of ${procedure.name} from a file`} onFile={file => void open(file)} />
      ) : (
        <ImportSteps
          choice={planned.chosen}
          plan={planned.plan}
          fault={planned.fault}
          isCorrected={planned.chosen.isCorrected === true}
          onSending={setSending}
          onFile={file => void open(file, { follow: 'back' })}
          onCorrected={file => void open(file, { follow: 'corrected' })}
        >
          <div className="max-w-md">
            <Field label="What the rows are">
              {field => (
                <Select
                  {...field}
                  value={mode}
                  onChange={event =>
                    goToMode(modes.find(({ value }) => value === event.target.value)?.value ?? 'create')
                  }
                  options={modes}
                />
              )}
            </Field>
            {workbook && workbook.sheets.length > 1 && (
              <Field label="Sheet">
                {field => (
                  <Select
                    {...field}
                    value={workbook.sheet}
                    onChange={({ target }) => void open(workbook.file, { sheet: target.value })}
                    options={workbook.sheets.map(name => ({ value: name, label: name }))}
                  />
                )}
              </Field>
            )}
          </div>
          <ColumnsTable
            plan={planned.plan}
            unclear={planned.unclear}
            onChange={(targets, leftOut) => setChosen(placeColumns(planned.chosen, targets, leftOut))}
            onForm={(at, form) => setChosen(stateForm(planned.chosen, at, form))}
          />
          {planned.fault === undefined && <Preview plan={planned.plan} />}
        </ImportSteps>
      )}
    </Page>
  )
}
