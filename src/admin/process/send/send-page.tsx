import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { BulkSendTemplateMessageBody, Plugin, Procedure, Query } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/change.ts'
import { useConfig, useMay } from '../../api/me.ts'
import { read } from '../../api/read.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { formatPhone } from '../../parts/message/phone-number.ts'
import { HeaderFileField, TemplateField, UnfillableNote } from '../../parts/message/template-fields.tsx'
import { getMediaField, listPlaceholders, notOffered } from '../../parts/message/template-text.ts'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, FailureNote, Loaded } from '../../parts/states.tsx'
import { howMany } from '../../parts/text/number-text.ts'
import { useCount } from '../list/count.ts'
import { OfProcedure } from '../list/of-procedure.tsx'
import { Previews } from './previews.tsx'
import type { SendSearch } from './send-search.ts'
import { SourceFields } from './source-fields.tsx'
import { isWhole, NO_SOURCES, toSourceLists } from './sources.ts'

const route = getRouteApi('/frame/procedure/$procedureShortId/send')

/** Sends one template to all matches of a filter. */
export function SendPage() {
  const { procedureShortId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const may = useMay()
  const plugins = useConfig()?.plugins ?? []
  return (
    <OfProcedure shortId={procedureShortId} search={search}>
      {procedure => (
        <Page
          title="Send a message"
          within={[
            {
              label: procedure.name,
              to: '/procedure/$procedureShortId/process',
              params: { procedureShortId },
              search: { where: search.where },
            },
          ]}
        >
          {!may('message:send') ? (
            <Empty icon="message" title="Your role may not send messages" />
          ) : plugins.length === 0 ? (
            <Empty
              icon="plugin"
              title="No WhatsApp account is connected yet"
              action={<LinkButton to="/plugin">Plugins</LinkButton>}
            />
          ) : (
            <SendForm
              key={procedure.id}
              procedure={procedure}
              plugins={plugins}
              search={search}
              onSearch={next => void navigate({ search: next, replace: true })}
            />
          )}
        </Page>
      )}
    </OfProcedure>
  )
}

/** Larger numbers have to be typed as a confirmation. */
const TYPED_FROM = 20

interface SendFormProps {
  procedure: Procedure
  plugins: readonly Plugin[]
  search: SendSearch
  onSearch: (search: SendSearch) => void
}

/**
 * The form of a bulk message: recipients, sender, template and values, previews of the first messages, and the
 * confirmation.
 */
function SendForm({ procedure, plugins, search, onSearch }: SendFormProps) {
  const navigate = useNavigate()
  const { where } = search
  const count = useCount(procedure.shortId, where).data
  const plugin =
    plugins.find(({ id }) => id === search.plugin) ?? plugins.find(({ status }) => status === 'ACTIVE') ?? plugins[0]
  const number = plugin?.phoneNumbers.find(({ id }) => id === search.number) ?? plugin?.phoneNumbers[0]
  const templates = useQuery({
    ...read('listTemplates', { path: { pluginId: plugin?.id ?? '' } }),
    enabled: plugin !== undefined,
  })
  const offered = (templates.data?.data ?? []).filter(({ status }) => status === 'APPROVED')
  const template = offered.find(({ id }) => id === search.template)
  const [sources, setSources] = useState(NO_SOURCES)
  const [media, setMedia] = useState('')
  const [isAsked, setAsked] = useState(false)
  const send = useChange('bulkSendTemplateMessage', {
    rereads: ['listJobs', 'listMessages'],
    showsFailure: true,
    onDone: ({ data }) => void navigate({ to: '/background-job/$jobId', params: { jobId: data.id } }),
  })
  const many = count === undefined ? '… messages' : count === 1 ? 'one message' : `${count.toLocaleString()} messages`
  const reason = template && notOffered(template)
  const isReady = template !== undefined && reason === undefined && isWhole(listPlaceholders(template), sources)
  const choose = (id: string) => {
    setSources(NO_SOURCES)
    send.reset()
    onSearch({ ...search, template: id || undefined })
  }
  const ask = (event: FormEvent) => {
    event.preventDefault()
    send.reset()
    setAsked(true)
  }
  const confirm = () => {
    if (!plugin || !number || !template) return
    const mediaField = getMediaField(template)
    const body: BulkSendTemplateMessageBody = {
      whatsappPhoneNumberId: number.id,
      templateName: template.name,
      language: template.language,
      ...toSourceLists(sources),
      ...(mediaField ? { [mediaField]: media } : {}),
      // A query that matches everything is refused unless it says that it is meant: the reader has seen the count.
      ...(where === undefined ? { where: {}, all: true } : { where }),
    }
    const path = { pluginId: plugin.id, procedureShortId: procedure.shortId }
    send.mutate({ path, body }, { onSettled: () => setAsked(false) })
  }
  const pace = number?.messagesPerSecond
  return (
    <form onSubmit={ask} className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="To">
          <p role="status">
            <b className="font-semibold">
              {count === undefined ? 'Counting …' : howMany(count, 'process', 'processes')}
            </b>
            {where === undefined
              ? ` of ${procedure.name}: all of them. `
              : ` of ${procedure.name}, ${isByHand(where) ? 'selected by hand' : 'by the filter of the list'}. `}
            <Link
              to="/procedure/$procedureShortId/process"
              params={{ procedureShortId: procedure.shortId }}
              search={{ where }}
              className="text-accent underline"
            >
              {where === undefined ? 'Filter them' : 'See or change them'}
            </Link>
          </p>
          <p className="mt-1 text-[13px] text-ink-2">
            {`Each customer is written to at ${procedure.phoneAttribute === null ? 'their phone number' : `the attribute ${getAttributeName(procedure, procedure.phoneAttribute)}, or else at their phone number`}. Who opted out is not written to.`}
          </p>
        </Card>
        <Card title="What">
          <div className="flex flex-col gap-3">
            <Field label="From">
              {field => (
                <Select
                  {...field}
                  value={plugin && number ? `${plugin.id} ${number.id}` : ''}
                  onChange={({ target }) => {
                    const [pluginId, numberId] = target.value.split(' ')
                    const isSame = pluginId === plugin?.id
                    if (!isSame) setSources(NO_SOURCES)
                    onSearch({
                      ...search,
                      plugin: pluginId,
                      number: numberId,
                      ...(isSame ? {} : { template: undefined }),
                    })
                  }}
                  options={plugins.flatMap(({ id, name, phoneNumbers, status }) =>
                    phoneNumbers.map(each => ({
                      value: `${id} ${each.id}`,
                      label: `${formatPhone(each.displayNumber)} · ${name}${status === 'STOPPED' ? ' (stopped)' : ''}`,
                    })),
                  )}
                />
              )}
            </Field>
            {plugin?.status === 'STOPPED' && (
              <p className="flex items-start gap-1.5 text-bad">
                <Icon name="alert" className="mt-0.5" />
                <span>
                  {'The provider refuses this account: '}
                  <Link to="/plugin/$pluginId" params={{ pluginId: plugin.id }} className="underline">
                    see why
                  </Link>
                </span>
              </p>
            )}
            <Loaded query={templates} lines={2}>
              {() => <TemplateField offered={offered} chosen={template?.id ?? ''} onChoose={choose} />}
            </Loaded>
            {reason !== undefined && <UnfillableNote reason={reason} />}
            {template && reason === undefined && (
              <SourceFields template={template} procedure={procedure} sources={sources} onChange={setSources} />
            )}
            {template && getMediaField(template) && <HeaderFileField address={media} onChange={setMedia} />}
          </div>
        </Card>
        {send.error && <FailureNote error={send.error} />}
        <div className="flex flex-wrap items-center gap-3">
          <Button tone="main" icon="send" type="submit" disabled={!isReady || !count} isPending={send.isPending}>
            {`Send ${many} …`}
          </Button>
          {pace !== undefined && count !== undefined && count > pace && (
            <span className="text-[13px] text-ink-2">
              {`This number sends ${pace === 1 ? 'one message' : `${pace} messages`} a second.`}
            </span>
          )}
        </div>
      </div>
      <Card title="As the first of them read it">
        {template ? (
          <Previews procedure={procedure} where={where} template={template} sources={sources} />
        ) : (
          <Empty icon="message" title="Choose a template">
            Then the message is shown with the values of the first processes.
          </Empty>
        )}
      </Card>
      <Question
        title={`Send ${many}, by the template ${template?.name ?? ''}?`}
        confirm={`Send ${many}`}
        tone="main"
        isOpen={isAsked}
        isPending={send.isPending}
        onClose={() => setAsked(false)}
        onConfirm={confirm}
        {...(count !== undefined && count >= TYPED_FROM ? { typed: String(count) } : {})}
      >
        {`One for each process that matches when the job begins, from ${number ? formatPhone(number.displayNumber) : ''}. The provider may charge for each, and none can be called back; the job can be cancelled while it runs.`}
      </Question>
    </form>
  )
}

const getAttributeName = ({ attributes }: Procedure, shortId: string): string =>
  attributes.find(each => each.shortId === shortId)?.name ?? shortId

/** Returns whether a filter is only a list of processes, such as of those selected in the table. */
const isByHand = (where: Query): boolean => Object.keys(where).join() === 'id' && Array.isArray(where.id)
