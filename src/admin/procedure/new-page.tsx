import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { Field, TextInput } from '../parts/field.tsx'
import { Unsaved } from '../parts/form/unsaved.tsx'
import { Page } from '../parts/page.tsx'
import { definitionAddress } from './definition.ts'
import { DefinitionForm } from './definition-form.tsx'
import { createDraft, type Draft, toBody, toProcedureId } from './draft.ts'

const WITHIN = [{ label: 'Procedures', to: '/procedure' as const }]

export function NewProcedurePage() {
  const navigate = useNavigate()
  const [draft, setDraft] = useState(createDraft)
  const [isChanged, setChanged] = useState(false)
  const [ownShortId, setOwnShortId] = useState<string>()
  const [taken, setTaken] = useState<string>()
  const shortId = ownShortId ?? toProcedureId(draft.name)
  // A PUT would replace the procedure that has the short id already: so it is asked first.
  const check = useChange('putProcedure', { rereads: [], showsFailure: true })
  const make = useChange('putProcedure', {
    rereads: ['listProcedures', 'getConfig'],
    showsFailure: true,
    done: `${draft.name} is created`,
    onDone: ({ data }) =>
      void navigate({ href: 'isAllowed' in data ? '/procedure' : definitionAddress(data), ignoreBlocker: true }),
  })
  const change = (next: Draft) => {
    setDraft(next)
    setChanged(true)
    check.reset()
    make.reset()
  }
  const submit = () => {
    const input = { path: { procedureShortId: shortId }, body: toBody(draft) }
    check.mutate(
      { ...input, query: { dryRun: 'true' } },
      {
        onSuccess: ({ data, headers }) => {
          // The tag of no procedure prevents that one which was created meanwhile is replaced.
          if ('isAllowed' in data && data.isNew)
            make.mutate({ ...input, options: { ifMatch: headers.get('etag') ?? undefined } })
          else setTaken(shortId)
        },
      },
    )
  }
  return (
    <Page title="New procedure" within={WITHIN}>
      <DefinitionForm
        draft={draft}
        onChange={change}
        onSubmit={submit}
        error={check.error ?? make.error}
        more={getFault => (
          <Field
            label="Short id of the procedure"
            hint="Its name in the API; it stays."
            error={
              taken === shortId && shortId !== ''
                ? 'There is a procedure with this short id'
                : getFault('/path/procedureShortId')
            }
          >
            {field => (
              <TextInput {...field} required value={shortId} onChange={({ target }) => setOwnShortId(target.value)} />
            )}
          </Field>
        )}
      >
        <Unsaved isUnsaved={isChanged} what="the new procedure" />
        <LinkButton to="/procedure">Cancel</LinkButton>
        <Button tone="main" type="submit" isPending={check.isPending || make.isPending}>
          Create the procedure
        </Button>
      </DefinitionForm>
    </Page>
  )
}
