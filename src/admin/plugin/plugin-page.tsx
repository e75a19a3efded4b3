import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Plugin } from 'caseworker'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Copyable } from '../parts/code.tsx'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time/time.tsx'
import { PhoneNumbers } from './phone-numbers.tsx'
import { PluginActions } from './plugin-actions.tsx'
import { PluginMessages } from './plugin-messages.tsx'
import { PluginState } from './plugin-state.tsx'
import { Stopped } from './stopped.tsx'
import { Templates } from './template/templates.tsx'

const route = getRouteApi('/frame/plugin/$pluginId')
const WITHIN = [{ label: 'Plugins', to: '/plugin' as const }]

export function PluginPage() {
  const { pluginId } = route.useParams()
  const plugin = useQuery(read('getPlugin', { path: { pluginId } }))
  const data = plugin.data?.data
  return (
    <Page
      title={data?.name ?? 'Plugin'}
      within={WITHIN}
      mark={data && <PluginState plugin={data} />}
      actions={data && <PluginActions plugin={data} />}
    >
      <Loaded query={plugin}>{result => <PluginDetails plugin={result.data} />}</Loaded>
    </Page>
  )
}

const PluginDetails = ({ plugin }: { plugin: Plugin }) => (
  <>
    <Stopped plugin={plugin} />
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      <div className="flex flex-col gap-4">
        <PhoneNumbers plugin={plugin} />
        <Card title="About it">
          <Facts
            facts={[
              ['Id', <Copyable key="id" text={plugin.id} />],
              ['Business account', <Copyable key="account" text={plugin.businessAccountId} />],
              ['Provider’s API', plugin.graphVersion],
              ['Usual language', plugin.defaultLanguage],
              ['Connected', <Time key="created" at={plugin.createdAt} />],
              ['Changed', <Time key="updated" at={plugin.updatedAt} />],
            ]}
          />
        </Card>
      </div>
      <div className="flex flex-col gap-4">
        <MessagesOf plugin={plugin} />
        <Card title="Webhook at the provider">
          <p className="mb-3 text-ink-2">
            Delivery statuses and what customers write come here. In the provider’s app, under WhatsApp, Configuration,
            put in:
          </p>
          <Facts
            facts={[
              ['Callback URL', <Copyable key="url" text={plugin.webhookUrl} />],
              ['Verify token', 'the text that you gave this plugin; it is not shown again, and can be changed here'],
              ['Fields', <Copyable key="fields" text="messages, message_template_status_update" />],
            ]}
          />
        </Card>
      </div>
    </div>
    <Templates plugin={plugin} />
  </>
)

/** What went out through it, for those who may see messages. */
const MessagesOf = ({ plugin }: { plugin: Plugin }) =>
  useMay()('message:read') ? <PluginMessages pluginId={plugin.id} /> : null
