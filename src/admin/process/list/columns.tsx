import type { Procedure, Process, UpdateProcessByIdBody } from 'caseworker'
import { formatProcessName, getStateName, type ProcedureAttribute, statesAfter } from '../../api/procedure.ts'
import { AttributeValue, UserName } from '../../parts/attribute/attribute-value.tsx'
import { getTypeRules, isCellType, isListType, isNumberType } from '../../parts/attribute/types.ts'
import { Status } from '../../parts/badge.tsx'
import type { Choice } from '../../parts/choice/choices.tsx'
import { formatCustomerName } from '../../parts/customer/customer-name.ts'
import { Go } from '../../parts/go.tsx'
import type { Column } from '../../parts/table/column.ts'
import { Time } from '../../parts/time.tsx'
import { AttributeEditor, ChoiceEditor, Editable, MomentEditor, UserEditor } from '../change/cell-editors.tsx'
import type { ChangeProcess } from '../change/in-place-change.ts'
import { ProcessLink } from '../process-link.tsx'

/** A column by its name, for the choice of columns. */
export interface ProcessColumn extends Column<Process> {
  name: string
}

/** The columns that a procedure's processes can be shown in. `change` is missing where the reader may not change them. */
export function buildColumns(procedure: Procedure, change: ChangeProcess | undefined): ProcessColumn[] {
  const { attributes, primaryKey } = procedure
  const keyAttribute = attributes.find(({ shortId }) => shortId === primaryKey)
  const column = (
    id: string,
    name: string,
    width: number,
    cell: ProcessColumn['cell'],
    more: Pick<ProcessColumn, 'sort' | 'align' | 'unsorted'> = {},
  ): ProcessColumn => ({ id, name, header: name, width, cell, ...more })
  return [
    column(
      getKeyColumn(procedure),
      keyAttribute?.name ?? 'Process',
      KEY_REM,
      process => <ProcessLink process={process}>{formatProcessName(procedure, process)}</ProcessLink>,
      { sort: primaryKey ?? 'id' },
    ),
    column('status', 'Status', 7.5, ({ status }) => <Status of={status} />, { sort: 'status' }),
    column('state', 'State', 9.5, process => <StateCell procedure={procedure} process={process} change={change} />, {
      sort: 'state',
    }),
    column('assignedTo', 'Assignee', 9.5, process => <AssigneeCell process={process} change={change} />, {
      sort: 'assignedTo',
    }),
    ...attributes
      .filter(({ shortId }) => shortId !== primaryKey)
      .map(attribute =>
        column(
          attribute.shortId,
          attribute.name,
          getWidth(attribute),
          process => <AttributeCell process={process} attribute={attribute} change={change} />,
          {
            ...getOrder(attribute),
            ...(isNumberType(attribute.type) ? { align: 'right' as const } : {}),
          },
        ),
      ),
    column('record', 'Customer', 12, ({ record }) => <CustomerCell record={record} />, {
      unsorted: 'Customers have no order: sort by an attribute that is indexed.',
    }),
    column('nextActionAt', 'Next action', TIME_REM, process => <NextActionCell process={process} change={change} />, {
      sort: 'nextActionAt',
    }),
    column('createdAt', 'Created', TIME_REM, ({ createdAt }) => <Time at={createdAt} />, { sort: 'createdAt' }),
    column('updatedAt', 'Changed', 9.5, ({ updatedAt }) => <Time at={updatedAt} isRelative />, { sort: 'updatedAt' }),
    column('completedAt', 'Completed', TIME_REM, ({ completedAt }) => <Time at={completedAt} />, {
      unsorted: NO_INDEX,
    }),
    column('createdBy', 'Created by', 9.5, ({ createdBy }) => <UserName id={createdBy} />, { unsorted: NO_INDEX }),
    ...(primaryKey === null
      ? []
      : [column('id', 'Id', 20, ({ id }) => <code className="font-mono text-xs">{id}</code>, { sort: 'id' })]),
  ]
}

const NO_INDEX = 'Not sorted: no index has this field.'

/** Returns the sort order of a column: indexed attributes have one, and lists have no first value. */
function getOrder({ shortId, type, indexed }: ProcedureAttribute): Pick<ProcessColumn, 'sort' | 'unsorted'> {
  if (isListType(type)) return { unsorted: 'A list of values has no order.' }
  return indexed ? { sort: shortId } : { unsorted: 'Not sorted: mark it as indexed in the definition.' }
}

const KEY_REM = 10
const TIME_REM = 13
const USUAL_REM = 10.5
/** The width of a letter in a column's head, with room for the sort arrow. */
const LETTER_REM = 0.55
const HEAD_REM = 3

/** Returns a width by type, and at least that of the name. */
const getWidth = ({ type, name }: ProcedureAttribute): number =>
  Math.max(getTypeRules(type).width ?? USUAL_REM, Math.min(14, name.length * LETTER_REM + HEAD_REM))

/** The first column, which leads to the process and is always shown. Columns have the names of fields, as saved views do. */
export const getKeyColumn = ({ primaryKey }: Pick<Procedure, 'primaryKey'>): string => primaryKey ?? 'id'

const USUAL_FIRST = ['status', 'state']
const USUAL_LAST = ['assignedTo', 'nextActionAt', 'updatedAt']
const USUAL_ATTRIBUTES = 4

/**
 * Lists the default columns: those of all processes, and the first attributes. These identify processes, so on a narrow
 * screen they come before author and time.
 */
export const usualColumns = ({ attributes, primaryKey }: Procedure): string[] => [
  getKeyColumn({ primaryKey }),
  ...USUAL_FIRST,
  ...attributes
    .map(each => each.shortId)
    .filter(each => each !== primaryKey)
    .slice(0, USUAL_ATTRIBUTES),
  ...USUAL_LAST,
]

function CustomerCell({ record }: Pick<Process, 'record'>) {
  if (record === null) return <span className="text-ink-3">–</span>
  return (
    <Go to={`/customer/${record.id}`} className="text-accent hover:underline">
      {formatCustomerName(record)}
    </Go>
  )
}

interface CellProps {
  process: Process
  change: ChangeProcess | undefined
}

function StateCell({ procedure, process, change }: CellProps & { procedure: Procedure }) {
  const name = getStateName(procedure, process.state)
  const choices: Choice[] = [process.state, ...statesAfter(procedure, process.state)].map(value => ({
    value,
    label: getStateName(procedure, value),
  }))
  if (!change || choices.length < 2) return name
  return (
    <Editable
      label="State"
      editor={close => (
        <ChoiceEditor
          label="State"
          value={process.state}
          choices={choices}
          isRequired
          onSave={state => change(process, { state: String(state) })}
          onClose={close}
        />
      )}
    >
      {name}
    </Editable>
  )
}

function AssigneeCell({ process, change }: CellProps) {
  const shown = <UserName id={process.assignedTo} />
  if (!change) return shown
  return (
    <Editable
      label="Assignee"
      editor={close => (
        <UserEditor
          label="Assignee"
          value={process.assignedTo}
          onSave={user => change(process, { assignedTo: typeof user === 'string' ? user : null })}
          onClose={close}
        />
      )}
    >
      {shown}
    </Editable>
  )
}

function NextActionCell({ process, change }: CellProps) {
  const shown = <Time at={process.nextActionAt} />
  if (!change) return shown
  const save = (ms: unknown) => change(process, { nextActionAt: typeof ms === 'number' ? ms : null })
  return (
    <Editable
      label="Next action"
      editor={close => <MomentEditor label="Next action" value={process.nextActionAt} onSave={save} onClose={close} />}
    >
      {shown}
    </Editable>
  )
}

function AttributeCell({ process, attribute, change }: CellProps & { attribute: ProcedureAttribute }) {
  const { shortId, name } = attribute
  const value = process.data[shortId]
  const shown = <AttributeValue value={value} attribute={attribute} isPlain />
  if (!change || !isCellType(attribute.type)) return shown
  const save = (next: unknown) => change(process, { data: { [shortId]: next } } satisfies UpdateProcessByIdBody)
  return (
    <Editable
      label={name}
      editor={close => (
        <AttributeEditor attribute={attribute} label={name} value={value} onSave={save} onClose={close} />
      )}
    >
      {shown}
    </Editable>
  )
}
