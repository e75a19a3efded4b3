import { getRouteApi } from '@tanstack/react-router'
import { useConfig, useMay } from '../../api/me.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { OfProcedure } from '../list/of-procedure.tsx'
import { SendForm } from './send-form.tsx'

const route = getRouteApi('/frame/procedure/$procedureShortId/send')

/** Sends one template to all matches of a filter. */
export function SendPage() {
  const { procedureShortId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const may = useMay()
  const plugins = useConfig()?.plugins ?? []
  return (
    <OfProcedure shortId={procedureShortId}>
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
