import { useNavigate } from '@tanstack/react-router'
import type { Plugin } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { Button } from '../parts/button.tsx'
import { Question } from '../parts/dialog.tsx'
import { useNotes } from '../parts/notes.tsx'
import { usePageActions } from '../shell/page-actions.ts'
import { PluginForm } from './plugin-form.tsx'

/** What can be done with a plugin; nothing, without the permission. */
export function PluginActions({ plugin }: { plugin: Plugin }) {
  const may = useMay()
  const navigate = useNavigate()
  const { tell } = useNotes()
  const [opened, setOpened] = useState<'change' | 'delete'>()
  const close = () => setOpened(undefined)
  const remove = useChange('deletePlugin', {
    rereads: ['listPlugins', 'getConfig'],
    done: `${plugin.name} is deleted`,
    onDone: () => void navigate({ to: '/plugin' }),
  })
  const mayWrite = may('config:write')
  usePageActions([
    mayWrite && { label: `Change ${plugin.name} …`, icon: 'edit', act: () => setOpened('change') },
    mayWrite && { label: `Delete ${plugin.name} …`, icon: 'trash', isDanger: true, act: () => setOpened('delete') },
  ])
  if (!mayWrite) return null
  return (
    <>
      <Button icon="edit" onClick={() => setOpened('change')}>
        Change …
      </Button>
      <Button icon="trash" onClick={() => setOpened('delete')}>
        Delete …
      </Button>
      {opened === 'change' && (
        <PluginForm plugin={plugin} onClose={close} onDone={() => tell(`${plugin.name} is changed`)} />
      )}
      <Question
        title={`Delete ${plugin.name}?`}
        confirm="Delete the plugin"
        typed={plugin.name}
        isOpen={opened === 'delete'}
        isPending={remove.isPending}
        onClose={close}
        onConfirm={() => remove.mutate({ path: { pluginId: plugin.id } })}
      >
        Nothing more is sent or received through it, and messages of jobs that are not sent yet fail. Its access token,
        app secret and verify token are deleted with it, and its templates. Its messages stay. This can’t be undone: to
        use the account again it is connected anew.
      </Question>
    </>
  )
}
