import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Plugin } from 'caseworker'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { formatPhone } from '../parts/message/phone-number.ts'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time.tsx'
import { PluginForm } from './plugin-form.tsx'
import { PluginState } from './plugin-state.tsx'

const columns: Column<Plugin>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ id, name }) => (
      <Link to="/plugin/$pluginId" params={{ pluginId: id }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', cell: plugin => <PluginState plugin={plugin} /> },
  {
    id: 'numbers',
    header: 'Phone numbers',
    from: 'sm',
    cell: ({ phoneNumbers }) => phoneNumbers.map(({ displayNumber }) => formatPhone(displayNumber)).join(', '),
  },
  {
    id: 'why',
    header: 'Why it is stopped',
    from: 'lg',
    cell: ({ statusMessage, stoppedPhoneNumbers }) =>
      statusMessage ?? (stoppedPhoneNumbers.map(each => each.statusMessage).join('; ') || '–'),
  },
  {
    id: 'synced',
    header: 'Templates synced',
    from: 'md',
    cell: ({ templatesSyncedAt }) => <Time at={templatesSyncedAt} isRelative />,
  },
]

/** The WhatsApp accounts that are connected. */
export function PluginsPage() {
  const may = useMay()
  const navigate = useNavigate()
  const plugins = useQuery(read('listPlugins', {}))
  const [isMaking, setMaking] = useState(false)
  const newPlugin = may('config:write') && (
    <Button tone="main" icon="plus" onClick={() => setMaking(true)}>
      Connect an account
    </Button>
  )
  return (
    <Page title="Plugins" actions={newPlugin} isFull>
      <Loaded query={plugins}>
        {({ data }) => (
          <DataTable
            label="Plugins"
            rows={data}
            columns={columns}
            getKey={({ id }) => id}
            empty={
              <Empty icon="plugin" title="No WhatsApp account yet" action={newPlugin}>
                A plugin is an account at the provider, with its phone numbers and templates. Messages go out and come
                in through it.
              </Empty>
            }
          />
        )}
      </Loaded>
      {isMaking && (
        <PluginForm
          onClose={() => setMaking(false)}
          onDone={({ id }) => void navigate({ to: '/plugin/$pluginId', params: { pluginId: id } })}
        />
      )}
    </Page>
  )
}
