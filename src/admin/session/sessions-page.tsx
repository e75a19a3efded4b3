import { getRouteApi } from '@tanstack/react-router'
import { useMay } from '../api/me.ts'
import { Page } from '../parts/page.tsx'
import { SessionList } from './session-list.tsx'

const route = getRouteApi('/frame/session')

/** Who of the team is signed in, and where. */
export function SessionsPage() {
  const may = useMay()
  const { id } = route.useSearch()
  return (
    <Page title="Sessions" isFull>
      <SessionList {...(id === undefined ? {} : { only: id })} mayEnd={may('key:write')} />
    </Page>
  )
}
