import { createRoute } from '@tanstack/react-router'
import { me } from '../api/me.ts'
import { queries } from '../api/queries.ts'
import { isCode } from '../parts/failure.ts'
import { Page } from '../parts/page.tsx'
import { Empty, Loading } from '../parts/states.tsx'
import { Frame } from './frame.tsx'
import { rootRoute } from './root-route.tsx'

/** Whoever is signed out is on the way to the sign-in (`api/client.ts`): nothing more is shown here, and nothing has failed. */
function leaveIfSignedOut(error: unknown): Promise<never> {
  if (!isCode(error, 'unauthenticated')) throw error
  return new Promise(() => {})
}

/** The parent of all pages that need a session. None is shown before the user is known. */
export const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  beforeLoad: () => queries.ensureQueryData(me).catch(leaveIfSignedOut),
  pendingComponent: Loading,
  component: Frame,
})

/** Any address that is none of a page: the menu is beside what says so. */
export const unknownRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '$',
  component: () => (
    <Page title="No such page">
      <Empty icon="search" title="There is no such page">
        The address may be mistyped, or what it was about is gone. The menu leads to all pages.
      </Empty>
    </Page>
  ),
})
