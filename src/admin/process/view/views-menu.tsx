import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { CreateSavedViewBody, Procedure, SavedView } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/change.ts'
import { useMay, useMe } from '../../api/me.ts'
import { read } from '../../api/read.ts'
import { useUserName } from '../../api/users.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { Popover } from '../../parts/choice/popover.tsx'
import { Dialog, Question } from '../../parts/dialog.tsx'
import { faultAt, isShownAt } from '../../parts/failure.ts'
import { Checkbox, Field, TextInput } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'
import { FailureNote, Loaded } from '../../parts/states.tsx'
import type { ListSearch } from '../list/list-search.ts'
import { findView, isShown, type Layout, toSavedQuery, toSearch } from './view-search.ts'

interface ViewsMenuProps {
  procedure: Procedure
  search: ListSearch
  layout: Layout
}

/** The views of the reader and those that the team shares: opened, saved, renamed, shared, deleted. */
export function ViewsMenu({ procedure, search, layout }: ViewsMenuProps) {
  const may = useMay()
  const { user } = useMe()
  const navigate = useNavigate()
  const views = useQuery(read('listSavedViews', { query: { procedure: procedure.shortId } }))
  const [isNaming, setNaming] = useState(false)
  const [renamed, setRenamed] = useState<SavedView>()
  const [deleted, setDeleted] = useState<SavedView>()
  const rereads = ['listSavedViews'] as const
  const update = useChange('updateSavedView', { rereads })
  const remove = useChange('deleteSavedView', {
    rereads,
    done: 'Deleted the view',
    onDone: () => setDeleted(undefined),
  })
  const [isOpen, setOpen] = useState(false)
  // A dialog is not to be covered by what it was opened from.
  const ask = (show: () => void) => {
    setOpen(false)
    show()
  }
  const open = (view: SavedView) =>
    void navigate({
      to: view.layout === 'board' ? '/procedure/$procedureShortId/board' : '/procedure/$procedureShortId/process',
      params: { procedureShortId: procedure.shortId },
      search: toSearch(view),
    })
  const current = findView(views.data?.data ?? [], search, layout)
  const isChanged = current !== undefined && !isShown(current, search, layout)
  const mayChange = ({ createdBy, isShared }: SavedView) =>
    may('config:write') || (createdBy === user.id && (!isShared || may('process:write')))
  return (
    <>
      <Popover
        label="Views"
        align="end"
        opened={{ isOpen, onChange: setOpen }}
        trigger={
          <Button icon="bookmark">
            <span className="max-w-40 truncate">{current?.name ?? 'Views'}</span>
            {isChanged && <Badge tone="warn">changed</Badge>}
          </Button>
        }
      >
        <div className="flex w-72 flex-col gap-1">
          <Loaded query={views} lines={2}>
            {({ data }) =>
              data.length === 0 ? (
                <p className="px-1.5 py-1 text-ink-2">
                  None yet. A view keeps the filter, the order and the columns under a name.
                </p>
              ) : (
                <ul className="flex flex-col">
                  {data.map(view => (
                    <ViewRow
                      key={view.id}
                      view={view}
                      isCurrent={view === current && !isChanged}
                      isOwn={view.createdBy === user.id}
                      onOpen={() => open(view)}
                      actions={
                        mayChange(view) && {
                          replace: () =>
                            update.mutate({ path: { savedViewId: view.id }, body: toSavedQuery(search, layout) }),
                          rename: () => ask(() => setRenamed(view)),
                          share:
                            may('process:write') &&
                            (() =>
                              update.mutate({ path: { savedViewId: view.id }, body: { isShared: !view.isShared } })),
                          remove: () => ask(() => setDeleted(view)),
                        }
                      }
                    />
                  ))}
                </ul>
              )
            }
          </Loaded>
          {isChanged && (
            <div className="flex flex-col gap-1 border-t border-line pt-2">
              <p className="px-1.5 text-ink-2">What is shown differs from the view.</p>
              {mayChange(current) && (
                <Button
                  icon="check"
                  isPending={update.isPending}
                  onClick={() =>
                    update.mutate({ path: { savedViewId: current.id }, body: toSavedQuery(search, layout) })
                  }
                >
                  {`Save the changes${current.isShared ? ' for the team' : ''}`}
                </Button>
              )}
              <Button icon="undo" onClick={() => open(current)}>
                Back to the view
              </Button>
            </div>
          )}
          <Button icon="plus" onClick={() => ask(() => setNaming(true))}>
            {isChanged ? 'Save as another view' : 'Save what is shown'}
          </Button>
        </div>
      </Popover>
      {isNaming && (
        <NameView procedure={procedure} saved={toSavedQuery(search, layout)} onClose={() => setNaming(false)} />
      )}
      {renamed && <NameView procedure={procedure} view={renamed} onClose={() => setRenamed(undefined)} />}
      <Question
        title={`Delete the view ${deleted?.name ?? ''}?`}
        confirm="Delete the view"
        isOpen={deleted !== undefined}
        isPending={remove.isPending}
        onClose={() => setDeleted(undefined)}
        onConfirm={() => deleted && remove.mutate({ path: { savedViewId: deleted.id } })}
      >
        {deleted?.isShared ? 'The whole team has it. ' : ''}No process is touched. A deleted view can’t be brought back.
      </Question>
    </>
  )
}

type NameViewProps = { procedure: Procedure; onClose: () => void } & (
  | { view: SavedView; saved?: undefined }
  | { view?: undefined; saved: Pick<CreateSavedViewBody, 'query' | 'columns' | 'layout'> }
)

/** The name of a view: of a new one, or another one of one that there is. */
function NameView({ procedure, view, saved, onClose }: NameViewProps) {
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

interface ViewRowProps {
  view: SavedView
  isCurrent: boolean
  isOwn: boolean
  onOpen: () => void
  /** The actions on the view; false where the reader may not change it. */
  actions: false | { replace: () => void; rename: () => void; share: false | (() => void); remove: () => void }
}

function ViewRow({ view, isCurrent, isOwn, onOpen, actions }: ViewRowProps) {
  const getUserName = useUserName()
  return (
    <li className="flex items-center rounded hover:bg-hover">
      <button
        type="button"
        aria-current={isCurrent ? 'true' : undefined}
        onClick={onOpen}
        className="flex min-w-0 flex-1 items-center gap-2 px-1.5 py-1.5 text-left"
      >
        <Icon name={view.layout === 'board' ? 'board' : 'list'} className="text-ink-3" />
        <span className={`truncate ${isCurrent ? 'font-medium text-accent' : ''}`}>{view.name}</span>
        {view.isShared && (
          <span className="ml-auto shrink-0 text-xs text-ink-3">{isOwn ? 'shared' : getUserName(view.createdBy)}</span>
        )}
      </button>
      {actions && (
        <Menu
          trigger={<IconButton label={`What can be done with ${view.name}`} icon="more" className="size-7!" />}
          items={[
            !isCurrent && { label: 'Replace by what is shown', icon: 'check', act: actions.replace },
            { label: 'Rename …', icon: 'edit', act: actions.rename },
            actions.share !== false && {
              label: view.isShared ? 'Stop sharing' : 'Share with the team',
              icon: 'user',
              act: actions.share,
            },
            { label: 'Delete …', icon: 'trash', isDanger: true, act: actions.remove },
          ]}
        />
      )}
    </li>
  )
}
