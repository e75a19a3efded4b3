import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { Plugin } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/code.tsx'
import { Question } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { MessagesByDay } from '../parts/message/messages-by-day.tsx'
import { formatPhone } from '../parts/message/phone-number.ts'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { usePageActions } from '../shell/page-actions.ts'
import { PLUGIN_READS, PluginForm } from './plugin-form.tsx'
import { PluginState } from './plugin-state.tsx'
import { Templates } from './templates.tsx'

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
        <PluginMessages plugin={plugin} />
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

/** Shows the messages of the plugin to readers who may see messages. */
const PluginMessages = ({ plugin }: { plugin: Plugin }) =>
  useMay()('message:read') ? <MessagesByDay plugin={plugin.id} /> : null

const CELL = 'px-4 py-2 text-left'

/** The numbers that send, each with its pace, and whether it is stopped by itself. */
function PhoneNumbers({ plugin: { phoneNumbers, stoppedPhoneNumbers, status } }: { plugin: Plugin }) {
  const isStopped = (id: string) => status === 'STOPPED' || stoppedPhoneNumbers.some(each => each.id === id)
  return (
    <Card title="Phone numbers" isBare>
      <table aria-label="Phone numbers" className="w-full text-[13px]">
        <thead>
          <tr className="border-b border-line text-ink-2">
            {['Number', 'Pace', 'Status'].map(header => (
              <th key={header} scope="col" className={`${CELL} font-medium`}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {phoneNumbers.map(({ id, displayNumber, messagesPerSecond }) => (
            <tr key={id} className="border-b border-line last:border-0">
              <td className={`${CELL} font-medium whitespace-nowrap`}>
                {formatPhone(displayNumber)}
                <span className="block text-xs font-normal text-ink-2">
                  Id <Copyable text={id} />
                </span>
              </td>
              <td className={CELL}>{messagesPerSecond ? `${messagesPerSecond} a second` : 'the usual one'}</td>
              <td className={CELL}>
                {isStopped(id) ? <Badge tone="bad">Stopped</Badge> : <Badge tone="good">Active</Badge>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

/** Offers the actions on a plugin to readers with the permission. */
function PluginActions({ plugin }: { plugin: Plugin }) {
  const may = useMay()
  const navigate = useNavigate()
  const { showToast } = useToasts()
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
        <PluginForm plugin={plugin} onClose={close} onDone={() => showToast(`${plugin.name} is changed`)} />
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

/**
 * Shows what stopped the plugin or some of its numbers, what to do, and a button to resume. It is empty while all are
 * active.
 */
function Stopped({ plugin }: { plugin: Plugin }) {
  const may = useMay()
  const [isAsked, setAsked] = useState(false)
  const close = () => setAsked(false)
  const resume = useChange('updatePlugin', {
    rereads: PLUGIN_READS,
    done: `${plugin.name} sends again`,
    onDone: close,
  })
  const { status, statusMessage, stoppedAt, stoppedPhoneNumbers, phoneNumbers } = plugin
  const isStopped = status === 'STOPPED' || stoppedPhoneNumbers.length > 0
  usePageActions([
    isStopped &&
      may('config:write') && { label: `Let ${plugin.name} send again …`, icon: 'play', act: () => setAsked(true) },
  ])
  if (!isStopped) return null
  const formatNumber = (id: string) => formatPhone(phoneNumbers.find(each => each.id === id)?.displayNumber ?? id)
  return (
    <section aria-label="Stopped" className="rounded-card border border-bad/40 bg-bad-soft p-4">
      <ul className="flex flex-col gap-2">
        {status === 'STOPPED' && (
          <li>
            <p className="flex items-start gap-2 font-medium">
              <Icon name="alert" className="mt-0.5 text-bad" />
              <span>
                The provider refuses this account since <Time at={stoppedAt} />: nothing is sent from any number
              </span>
            </p>
            <p className="mt-1 ml-6">{statusMessage}</p>
          </li>
        )}
        {stoppedPhoneNumbers.map(each => (
          <li key={each.id}>
            <p className="flex items-start gap-2 font-medium">
              <Icon name="alert" className="mt-0.5 text-bad" />
              <span>
                {`Nothing is sent from ${formatNumber(each.id)} since `}
                <Time at={each.stoppedAt} />
              </span>
            </p>
            <p className="mt-1 ml-6">{each.statusMessage}</p>
          </li>
        ))}
      </ul>
      <p className="mt-2 ml-6 text-ink-2">
        Jobs wait meanwhile, and go on by themselves once it sends again. A change of the plugin, such as a new access
        token, lets it send; so does saying that the cause is gone.
      </p>
      {may('config:write') && (
        <Button icon="play" className="mt-3 ml-6" onClick={() => setAsked(true)}>
          The cause is gone …
        </Button>
      )}
      <Question
        title={`Let ${plugin.name} send again?`}
        confirm="Send again"
        tone="main"
        isOpen={isAsked}
        isPending={resume.isPending}
        onClose={close}
        onConfirm={() => resume.mutate({ path: { pluginId: plugin.id }, body: { status: 'ACTIVE' } })}
      >
        Waiting jobs go on at once. If the provider still refuses, the next message fails, and the plugin is stopped
        again.
      </Question>
    </section>
  )
}
