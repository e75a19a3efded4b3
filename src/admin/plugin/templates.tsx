import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { Plugin, Template } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Status } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable, Json } from '../parts/code.tsx'
import { TemplatePreview } from '../parts/message/template-preview.tsx'
import { notOffered } from '../parts/message/template-text.ts'
import { Card, Facts } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { usePageActions } from '../shell/page-actions.ts'
import { TestSend } from './test-send.tsx'

const route = getRouteApi('/frame/plugin/$pluginId')

/** The templates of the last sync; the one of the address is shown as WhatsApp shows it. */
export function Templates({ plugin }: { plugin: Plugin }) {
  const may = useMay()
  const { template: chosen } = route.useSearch()
  const templates = useQuery(read('listTemplates', { path: { pluginId: plugin.id } }))
  const sync = useChange('syncTemplates', {
    rereads: ['listTemplates', 'getPlugin', 'listPlugins'],
    done: ({ data }) => (data.templates === 1 ? 'One template' : `${data.templates.toLocaleString()} templates`),
  })
  usePageActions([
    may('config:write') && {
      label: 'Sync the templates',
      icon: 'download',
      act: () => sync.mutate({ path: { pluginId: plugin.id } }),
    },
  ])
  const syncButton = may('config:write') && (
    <Button icon="download" isPending={sync.isPending} onClick={() => sync.mutate({ path: { pluginId: plugin.id } })}>
      Sync
    </Button>
  )
  return (
    <Card
      title="Templates"
      isBare
      actions={
        <>
          <span className="text-[13px] text-ink-2">
            {plugin.templatesSyncedAt === null ? (
              'never synced'
            ) : (
              <>
                synced <Time at={plugin.templatesSyncedAt} isRelative />
              </>
            )}
          </span>
          {syncButton}
        </>
      }
    >
      <Loaded query={templates}>
        {({ data }) => {
          const shown = data.find(({ id }) => id === chosen) ?? data[0]
          if (!shown)
            return (
              <Empty icon="message" title="No templates" action={syncButton}>
                Templates are created and approved at the provider, and fetched from there by a sync.
              </Empty>
            )
          return (
            <div className="grid md:grid-cols-[minmax(15rem,2fr)_3fr]">
              <ul
                aria-label="Templates"
                className="max-h-[40rem] overflow-y-auto border-line max-md:max-h-64 max-md:border-b md:border-r"
              >
                {data.map(template => (
                  <TemplateLine key={template.id} plugin={plugin} template={template} isShown={template === shown} />
                ))}
              </ul>
              <TemplateDetails key={shown.id} plugin={plugin} template={shown} />
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}

function TemplateLine({ plugin, template, isShown }: { plugin: Plugin; template: Template; isShown: boolean }) {
  const { id, name, language, status } = template
  return (
    <li className="border-b border-line last:border-0">
      <Link
        to="/plugin/$pluginId"
        params={{ pluginId: plugin.id }}
        search={{ template: id }}
        replace
        resetScroll={false}
        aria-current={isShown ? 'true' : undefined}
        className={`flex items-center gap-2 px-4 py-2 hover:bg-hover ${isShown ? 'bg-accent-soft' : ''}`}
      >
        <span className="min-w-0 flex-1 truncate">
          {name} <span className="text-ink-2">{language}</span>
        </span>
        <Status of={status} />
      </Link>
    </li>
  )
}

function TemplateDetails({ plugin, template }: { plugin: Plugin; template: Template }) {
  const may = useMay()
  const [isTesting, setTesting] = useState(false)
  const reason = notOffered(template)
  const maySend = may('message:send') && template.status === 'APPROVED'
  return (
    <section aria-label={`Template ${template.name}`} className="flex min-w-0 flex-col gap-4 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-[15px] font-semibold break-all">{template.name}</h3>
        <Status of={template.status} />
        <span className="flex-1" />
        {maySend && reason === undefined && plugin.status === 'ACTIVE' && (
          <Button icon="send" onClick={() => setTesting(true)}>
            Test send …
          </Button>
        )}
      </div>
      {template.statusReason && <p className="text-bad">{template.statusReason}</p>}
      {maySend && reason !== undefined && (
        <p className="text-ink-2">{`This page can’t send it: ${reason}. Programs can, by the API.`}</p>
      )}
      <TemplatePreview template={template} />
      <Facts
        facts={[
          ['Language', template.language],
          ['Category', template.category.toLowerCase()],
          ['Placeholders', template.parameterFormat === 'NAMED' ? 'by name' : 'by number'],
          ['Provider’s id', <Copyable key="external" text={template.externalId} />],
          ['Changed', <Time key="updated" at={template.updatedAt} />],
        ]}
      />
      <details>
        <summary className="text-ink-2">As the provider has it</summary>
        <div className="mt-2">
          <Json value={template.components} label="Components" />
        </div>
      </details>
      {isTesting && <TestSend plugin={plugin} template={template} onClose={() => setTesting(false)} />}
    </section>
  )
}
