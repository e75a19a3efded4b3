import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { CreateProcessBody, Procedure } from 'caseworker'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useChange } from '../../api/change.ts'
import { useMay } from '../../api/me.ts'
import { getStateName } from '../../api/procedure.ts'
import { AttributeInput } from '../../parts/attribute/attribute-input.tsx'
import { createFaultText } from '../../parts/attribute/fault-text.ts'
import { getTypeRules } from '../../parts/attribute/types.ts'
import { parseValue } from '../../parts/attribute/value-text.ts'
import { Button } from '../../parts/button.tsx'
import { faultAt, isShownAt } from '../../parts/failure.ts'
import { Field, TextInput } from '../../parts/field.tsx'
import { refuseHalfTyped } from '../../parts/form/half-typed.ts'
import { Unsaved } from '../../parts/form/unsaved.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { dataFields, type ProcessField, rootFields, toPointer } from '../../parts/process/fields.ts'
import { Empty, FailureNote } from '../../parts/states.tsx'
import { OfProcedure } from '../list/of-procedure.tsx'
import { toListLink } from '../process-link.tsx'
import { PROCESS_READS } from '../process-reads.ts'

export function NewProcessPage() {
  const { procedureShortId } = useParams({ from: '/frame/procedure/$procedureShortId/new' })
  const may = useMay()
  if (!may('process:write'))
    return (
      <Page title="New process">
        <Empty icon="plus" title="Your role may not create processes" />
      </Page>
    )
  return (
    <OfProcedure shortId={procedureShortId}>
      {procedure => <NewProcessForm key={procedure.id} procedure={procedure} />}
    </OfProcedure>
  )
}

const CUSTOMER = [
  { name: 'phone_number', label: 'Phone number', type: 'tel', hint: 'With its country code: 919448300001' },
  { name: 'email', label: 'E-mail address', type: 'email', hint: undefined },
  { name: 'name', label: 'Name', type: 'text', hint: undefined },
]

type Texts = Record<string, string>

function NewProcessForm({ procedure }: { procedure: Procedure }) {
  const navigate = useNavigate()
  const { state } = useSearch({ from: '/frame/procedure/$procedureShortId/new' })
  const begun: Texts = state === undefined ? {} : { state }
  const [texts, setTexts] = useState(begun)
  const [customer, setCustomer] = useState<Texts>({})
  const create = useChange('createProcess', {
    rereads: PROCESS_READS,
    showsFailure: true,
    done: 'The process is created',
    onDone: ({ data: { id } }) =>
      void navigate({
        to: '/procedure/$procedureShortId/process/$id',
        params: { procedureShortId: procedure.shortId, id },
        ignoreBlocker: true,
      }),
  })
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (create.error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [create.error])
  const attributes = dataFields(procedure, {})
  const words = createFaultText(procedure)
  const startStates = procedure.states.filter(({ startsHere }) => startsHere !== false)
  const others = rootFields({ ...procedure, states: startStates }).filter(({ path }) => path !== 'status')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (form.current && refuseHalfTyped(form.current)) return
    create.mutate({
      path: { procedureShortId: procedure.shortId },
      body: buildBody([...attributes, ...others], texts, customer),
    })
  }
  const row = (field: ProcessField) => (
    <Field
      key={field.path}
      label={field.isRequired && field.path.startsWith('data.') ? `${field.label} (required)` : field.label}
      hint={getHint(procedure, field)}
      error={faultAt(create.error, toPointer(field.path), false, words)}
    >
      {input => (
        <AttributeInput
          {...input}
          attribute={field.attribute}
          names={field.names}
          text={texts[field.path] ?? ''}
          onChange={text => setTexts(now => ({ ...now, [field.path]: text }))}
        />
      )}
    </Field>
  )
  const isFilled =
    Object.entries(texts).some(([path, text]) => text !== (begun[path] ?? '')) ||
    Object.values(customer).some(text => text !== '')
  const known = [
    ...[...attributes, ...others].map(({ path }) => toPointer(path)),
    ...CUSTOMER.map(({ name }) => customerPointer(name)),
  ]
  const isShownInField = isShownAt(create.error, known)
  return (
    <Page title={`New process of ${procedure.name}`} within={[toListLink(procedure)]}>
      <form ref={form} onSubmit={submit} noValidate className="flex max-w-3xl flex-col gap-4">
        <Card title="Attributes">
          {attributes.length === 0 ? (
            <p className="text-ink-2">{procedure.name} declares none.</p>
          ) : (
            <Columns>{attributes.map(row)}</Columns>
          )}
        </Card>
        <Card title="Customer">
          <p className="mb-3 text-ink-2">
            Who is known by this number or address is found; otherwise a new customer is created. Empty: a process
            without a customer.
          </p>
          <Columns>
            {CUSTOMER.map(({ name, label, type, hint }) => (
              <Field key={name} label={label} hint={hint} error={faultAt(create.error, customerPointer(name))}>
                {input => (
                  <TextInput
                    {...input}
                    type={type}
                    value={customer[name] ?? ''}
                    onChange={event => setCustomer(now => ({ ...now, [name]: event.target.value }))}
                  />
                )}
              </Field>
            ))}
          </Columns>
        </Card>
        <Card title="Begin with">
          <Columns>{others.map(row)}</Columns>
        </Card>
        <Unsaved isUnsaved={isFilled && !create.isSuccess} what="the new process" />
        {create.error && !isShownInField && <FailureNote error={create.error} words={words} />}
        {create.error && isShownInField && (
          <p role="alert" className="text-bad">
            Some fields need another value: each says which.
          </p>
        )}
        <div>
          <Button tone="main" type="submit" isPending={create.isPending}>
            Create the process
          </Button>
        </div>
      </form>
    </Page>
  )
}

const Columns = ({ children }: { children: ReactNode }) => (
  <div className="grid grid-cols-1 items-start gap-x-4 gap-y-3 sm:grid-cols-2">{children}</div>
)

const customerPointer = (name: string): string => `/body/record/data/${name}`

function getHint(procedure: Procedure, { path, attribute, label }: ProcessField): string | undefined {
  const { startState, primaryKey } = procedure
  if (path === 'state') return `Empty: ${getStateName(procedure, startState)}`
  const isKey = path === `data.${primaryKey}`
  const type = getTypeRules(attribute.type).words
  if (path === 'assignedTo' || type.toLowerCase() === label.toLowerCase()) return undefined
  return isKey ? `${type}; it identifies the process` : type
}

/** Builds the body from the filled fields; the others stay empty, or as the procedure begins. */
function buildBody(fields: readonly ProcessField[], texts: Texts, customer: Texts): CreateProcessBody {
  const given = fields
    .map(({ path, attribute }) => [path, parseValue(attribute, texts[path] ?? '')] as const)
    .filter(([, value]) => value !== null)
  const data = given
    .filter(([path]) => path.startsWith('data.'))
    .map(([path, value]) => [path.slice(5), value] as const)
  const record = Object.entries(customer).filter(([, text]) => text.trim() !== '')
  return {
    ...Object.fromEntries(given.filter(([path]) => !path.startsWith('data.'))),
    data: Object.fromEntries(data),
    ...(record.length === 0 ? {} : { record: { data: Object.fromEntries(record) } }),
  }
}
