import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { CallResult, ProcedureDryRun, PutProcedureBody } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { read } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { isCode } from '../parts/failure.ts'
import { isSame } from '../parts/form/same.ts'
import { Unsaved } from '../parts/form/unsaved.tsx'
import { Page } from '../parts/page.tsx'
import { FailureNote, Loaded } from '../parts/states.tsx'
import { definitionAddress, definitionBody } from './definition.ts'
import { DefinitionConflict } from './definition-conflict.tsx'
import { DefinitionForm } from './definition-form.tsx'
import { asSent, type Draft, toBody, toDraft } from './draft.ts'
import { DryRunNote } from './dry-run-note.tsx'
import { mergeDefinition } from './merge-rules.ts'

const route = getRouteApi('/frame/procedure/$procedureShortId/edit')

export function EditProcedurePage() {
  const { procedureShortId } = route.useParams()
  const procedure = useQuery({ ...read('getProcedure', { path: { procedureShortId } }), refetchOnMount: 'always' })
  const found = procedure.data?.data
  const within = [
    { label: 'Procedures', to: '/procedure' as const },
    {
      label: found?.name ?? procedureShortId,
      to: '/procedure/$procedureShortId' as const,
      params: { procedureShortId },
    },
  ]
  // The form begins with what is saved now, not with what was read for another page.
  const { isFetchedAfterMount, error, refetch } = procedure
  return (
    <Page title="Change the definition" within={within}>
      <Loaded query={{ data: isFetchedAfterMount ? procedure.data : undefined, error, refetch }}>
        {read => <Editor read={read} />}
      </Loaded>
    </Page>
  )
}

type Read = CallResult<'getProcedure'>

/** The state of the editor: the definition and tag at the beginning, and the form. */
interface EditState {
  base: PutProcedureBody
  etag: string
  draft: Draft
}

/** The form of a definition, with the changes of a reader who began with another one. */
function toEdited({ data, headers }: Read, changed?: EditState): EditState {
  const theirs = asSent(definitionBody(data))
  const etag = headers.get('etag') ?? ''
  if (!changed) return { base: theirs, etag, draft: toDraft(theirs) }
  const merged = mergeDefinition({ base: changed.base, theirs, mine: toBody(changed.draft) })
  return { base: theirs, etag, draft: toDraft(merged, theirs) }
}

function Editor({ read }: { read: Read }) {
  const { shortId } = read.data
  const navigate = useNavigate()
  const [edited, setEdited] = useState(() => toEdited(read))
  const [outlook, setOutlook] = useState<ProcedureDryRun>()
  const [isConflict, setConflict] = useState(false)
  const close = () => setOutlook(undefined)
  const onError = (error: unknown) => {
    if (!isCode(error, 'precondition_failed')) return
    close()
    setConflict(true)
  }
  const review = useChange('putProcedure', {
    rereads: [],
    showsFailure: true,
    onDone: ({ data }) => setOutlook('isAllowed' in data ? data : undefined),
  })
  const save = useChange('putProcedure', {
    rereads: ['getProcedure', 'listProcedures', 'getConfig'],
    showsFailure: true,
    done: 'Saved',
    onDone: () => void navigate({ href: definitionAddress(read.data), ignoreBlocker: true }),
  })
  const reset = () => {
    review.reset()
    save.reset()
  }
  const change = (draft: Draft) => {
    setEdited({ ...edited, draft })
    reset()
  }
  const continueWith = (next: EditState) => {
    setEdited(next)
    setConflict(false)
    reset()
  }
  const body = toBody(edited.draft)
  const input = { path: { procedureShortId: shortId }, body, options: { ifMatch: edited.etag } }
  const shownError = isCode(review.error, 'precondition_failed') ? null : review.error
  return (
    <DefinitionForm
      draft={edited.draft}
      onChange={change}
      onSubmit={() => review.mutate({ ...input, query: { dryRun: 'true' } }, { onError })}
      error={shownError}
    >
      <Unsaved isUnsaved={!isSame(body, edited.base)} what="your changes of the definition" />
      <Button onClick={() => void navigate({ href: definitionAddress(read.data) })}>Cancel</Button>
      <Button tone="main" type="submit" isPending={review.isPending}>
        See what it would do …
      </Button>
      <Dialog
        title="What saving would do"
        isOpen={outlook !== undefined}
        onClose={close}
        size="medium"
        footer={
          <>
            <Button onClick={close}>Back</Button>
            <Button
              tone="main"
              isPending={save.isPending}
              disabled={!outlook?.isAllowed || outlook.changes.length === 0}
              onClick={() => save.mutate(input, { onError })}
            >
              Save
            </Button>
          </>
        }
      >
        {outlook && <DryRunNote outlook={outlook} procedureShortId={shortId} />}
        {save.error && <FailureNote error={save.error} />}
      </Dialog>
      {isConflict && (
        <DefinitionConflict
          procedureShortId={shortId}
          base={edited.base}
          mine={body}
          onClose={() => setConflict(false)}
          onTheirs={now => continueWith(toEdited(now))}
          onBoth={now => continueWith(toEdited(now, edited))}
        />
      )}
    </DefinitionForm>
  )
}
