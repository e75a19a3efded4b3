import type { CreateSavedViewBody, Procedure, SavedView } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/change.ts'
import { useMay } from '../../api/me.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { faultAt, isShownAt } from '../../parts/failure.ts'
import { Checkbox, Field, TextInput } from '../../parts/field.tsx'
import { FailureNote } from '../../parts/states.tsx'

type NameViewProps = { procedure: Procedure; onClose: () => void } & (
  | { view: SavedView; saved?: undefined }
  | { view?: undefined; saved: Pick<CreateSavedViewBody, 'query' | 'columns' | 'layout'> }
)

/** The name of a view: of a new one, or another one of one that there is. */
export function NameView({ procedure, view, saved, onClose }: NameViewProps) {
  const may = useMay()
  const [name, setName] = useState(view?.name ?? '')
  const [isShared, setShared] = useState(view?.isShared ?? false)
  const shared = { rereads: ['listSavedViews'], showsFailure: true, onDone: onClose } as const
  const create = useChange('createSavedView', { ...shared, done: 'Saved the view' })
  const rename = useChange('updateSavedView', shared)
  const error = create.error ?? rename.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (view) rename.mutate({ path: { savedViewId: view.id }, body: { name } })
    else create.mutate({ body: { ...saved, name, procedure: procedure.shortId, isShared } })
  }
  return (
    <Dialog
      title={view ? 'Rename the view' : 'Save as a view'}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" form="view-name" isPending={create.isPending || rename.isPending}>
            {view ? 'Rename' : 'Save'}
          </Button>
        </>
      }
    >
      <form id="view-name" onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Name" hint="“My open leads”" error={faultAt(error, '/body/name')}>
          {field => (
            <TextInput
              {...field}
              required
              maxLength={100}
              value={name}
              onChange={event => setName(event.target.value)}
            />
          )}
        </Field>
        {!view && may('process:write') && (
          <Checkbox
            label="Share it with the team"
            checked={isShared}
            onChange={({ target }) => setShared(target.checked)}
          />
        )}
        {error && !isShownAt(error, ['/body/name']) && <FailureNote error={error} />}
      </form>
    </Dialog>
  )
}
