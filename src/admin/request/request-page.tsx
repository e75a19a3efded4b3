import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { LoggedRequest } from 'caseworker'
import { read } from '../api/read.ts'
import { KeyLink, SessionLink, UserLink } from '../parts/author/links.tsx'
import { Copyable } from '../parts/code.tsx'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { howMany } from '../parts/text/number-text.ts'
import { Time } from '../parts/time.tsx'
import { RequestStatus } from './request-status.tsx'

const route = getRouteApi('/frame/request/$requestId')
const WITHIN = [{ label: 'Requests', to: '/request' as const }]

export function RequestPage() {
  const { requestId } = route.useParams()
  const request = useQuery(read('getRequest', { path: { requestId } }))
  return (
    <Page title="Request" within={WITHIN}>
      <Loaded query={request}>{({ data }) => <RequestFacts request={data} />}</Loaded>
    </Page>
  )
}

function RequestFacts({ request }: { request: LoggedRequest }) {
  const { database } = request
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <Card title="What it was">
        <Facts
          facts={[
            ['Id', <Copyable key="id" text={request.id} />],
            ['Operation', request.operation],
            ['Path', <code key="path" className="break-all">{`${request.method} ${request.path}`}</code>],
            ['Status', <RequestStatus key="status" of={{ status: request.status, code: null }} />],
            [
              'Error',
              request.code === null ? null : (
                <a
                  key="code"
                  href={`/docs/errors#${request.code}`}
                  target="_blank"
                  rel="noreferrer"
                  className="underline"
                >
                  {request.code}
                </a>
              ),
            ],
            [
              'What was wrong',
              request.faults.length === 0 ? null : (
                <ul key="faults">
                  {request.faults.map(({ path, message }) => (
                    <li key={path + message}>
                      {message} {path && <code className="break-all text-ink-2">{path}</code>}
                    </li>
                  ))}
                </ul>
              ),
            ],
            ['When', <Time key="at" at={request.createdAt} />],
          ]}
        />
      </Card>
      <Card title="By whom, and what it took">
        <Facts
          facts={[
            ['For', <UserLink key="user" id={request.user} />],
            ['API key', request.apiKey === null ? null : <KeyLink key="key" id={request.apiKey} />],
            ['From', request.address],
            [
              'Session',
              request.session === null ? null : (
                <SessionLink key="session" id={request.session}>
                  in the browser
                </SessionLink>
              ),
            ],
            ['Took', `${request.ms.toLocaleString()} ms`],
            ['Database', `${howMany(database.trips, 'round trip', 'round trips')}, ${database.ms.toLocaleString()} ms`],
            ['Rows', `${database.rowsRead.toLocaleString()} read, ${database.rowsWritten.toLocaleString()} written`],
          ]}
        />
      </Card>
    </div>
  )
}
