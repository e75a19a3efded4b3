import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Plugin, Procedure, Process, StoredMessage } from 'caseworker'
import type { ReactNode } from 'react'
import { useConfig, useMay } from '../api/me.ts'
import { formatProcessName } from '../api/procedure.ts'
import { read } from '../api/read.ts'
import { UserLink } from '../parts/author/links.tsx'
import { Copyable } from '../parts/code.tsx'
import { formatCustomerName } from '../parts/customer/customer-name.ts'
import { useCustomerName } from '../parts/customer/use-customer-name.ts'
import { Go } from '../parts/go.tsx'
import { formatPhone } from '../parts/message/phone-number.ts'
import { Card, Facts } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'

const LINK = 'text-accent underline'

/** Shows sender, recipient, number and purpose of a message. */
export function AboutMessage({ message }: { message: StoredMessage }) {
  const { source, context, direction, user, externalId } = message
  const plugin = useConfig()?.plugins.find(({ id }) => id === message.plugin)
  const sender = plugin?.phoneNumbers.find(({ id }) => id === message.whatsappPhoneNumberId)
  const number = sender ? formatPhone(sender.displayNumber) : message.whatsappPhoneNumberId
  const customer = context.contactIdentifier === '' ? null : <Copyable text={`+${context.contactIdentifier}`} />
  const job = source.sourceType === 'BACKGROUND_JOB' && (
    <Go to={`/background-job/${source.sourceId}`} className={LINK}>
      the job that sent it
    </Go>
  )
  const facts: [string, ReactNode][] = [
    ['Customer’s number', customer],
    ['Name on WhatsApp', message.profileName],
    ['Customer', message.record && <CustomerLink id={message.record} />],
    ['Process', message.process && <ProcessLink id={message.process} />],
    [direction === 'OUTBOUND' ? 'From' : 'To our number', number],
    ['Plugin', <PluginLink key="plugin" plugin={plugin} />],
    ['Template', context.messageTemplateId && <TemplateLink message={message} id={context.messageTemplateId} />],
    ['Sent by', user === null ? null : <UserLink key="user" id={user} />],
    ['Job', job || null],
    ['Answers', message.inReplyTo && <MessageLink id={message.inReplyTo}>the message that it answers</MessageLink>],
    ['Sends again', message.resendOf && <MessageLink id={message.resendOf}>the first one</MessageLink>],
    ['Sent again', message.resentAs && <MessageLink id={message.resentAs}>as a new message</MessageLink>],
    [direction === 'OUTBOUND' ? 'Created' : 'Written', <Time key="at" at={message.timestamp} />],
    ['Id', <Copyable key="id" text={message.id} />],
    ['Provider’s id', externalId && <Copyable text={externalId} />],
  ]
  return (
    <Card title="About it">
      <Facts facts={facts} />
    </Card>
  )
}

/** A link that names the process by its primary key, and its customer. While it is read, and if it is deleted, the link has its id. */
function ProcessLink({ id }: { id: string }) {
  const { process, procedure } = useMessageProcess(id)
  if (!process || !procedure) return <Copyable text={id} />
  const customer = process.record
  return (
    <>
      <Go to={`/procedure/${encodeURIComponent(process.procedureShortId)}/process/${process.id}`} className={LINK}>
        {formatProcessName(procedure, process)}
      </Go>
      {` of ${procedure.name}`}
      {customer && (
        <>
          {' for '}
          <Go to={`/customer/${customer.id}`} className={LINK}>
            {formatCustomerName(customer)}
          </Go>
        </>
      )}
    </>
  )
}

function TemplateLink({ message: { plugin }, id }: { message: StoredMessage; id: string }) {
  const templates = useQuery(read('listTemplates', { path: { pluginId: plugin } }))
  const template = templates.data?.data.find(each => each.id === id)
  if (!template) return <Copyable text={id} />
  return (
    <Link to="/plugin/$pluginId" params={{ pluginId: plugin }} search={{ template: id }} className={LINK}>
      {`${template.name} (${template.language})`}
    </Link>
  )
}

function CustomerLink({ id }: { id: string }) {
  const name = useCustomerName(id)
  return (
    <Go to={`/customer/${id}`} className={LINK}>
      {name ?? 'who has this number'}
    </Go>
  )
}

const PluginLink = ({ plugin }: { plugin: Plugin | undefined }) =>
  plugin ? (
    <Link to="/plugin/$pluginId" params={{ pluginId: plugin.id }} className={LINK}>
      {plugin.name}
    </Link>
  ) : (
    'a deleted one'
  )

const MessageLink = ({ id, children }: { id: string; children: string }) => (
  <Link to="/message/$messageId" params={{ messageId: id }} className={LINK}>
    {children}
  </Link>
)

interface MessageProcess {
  process: Process | undefined
  procedure: Procedure | undefined
}

/** The process that a message is about. A message names no procedure: each is asked for the id. */
function useMessageProcess(id: string | null): MessageProcess {
  const may = useMay()
  const procedures = useConfig()?.procedures ?? []
  const searched = id === null || !may('process:read') ? [] : procedures
  const process = useQueries({
    queries: searched.map(({ shortId: procedureShortId }) =>
      read('listProcesses', { path: { procedureShortId }, body: { where: { id: id ?? '' }, limit: 1 } }),
    ),
    combine: results => results.flatMap(({ data }) => data?.data ?? [])[0],
  })
  return { process, procedure: procedures.find(each => each.id === process?.procedure) }
}
