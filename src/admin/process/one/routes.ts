import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { type ShownKind, shownKindIn } from '../../parts/timeline/shown.ts'
import { frameRoute } from '../../shell/frame-route.tsx'

const PROCESS_TABS = ['history', 'messages', 'customer', 'json'] as const

interface ProcessSearch {
  tab?: (typeof PROCESS_TABS)[number]
  /** What of the history and the messages is shown; undefined: both. */
  show?: ShownKind
  /** The moment that is shown: epoch milliseconds, or a version. */
  asOf?: string
  /** Who set each field is shown. */
  blame?: true
}

function processSearch({ tab, show, asOf, blame }: Record<string, unknown>): ProcessSearch {
  const kind = shownKindIn(show)
  const shown = PROCESS_TABS.find(each => each === tab)
  return {
    ...(shown === undefined || shown === 'history' ? {} : { tab: shown }),
    ...(kind === undefined ? {} : { show: kind }),
    ...(typeof asOf === 'string' || typeof asOf === 'number' ? { asOf: String(asOf) } : {}),
    ...(blame === true ? { blame } : {}),
  }
}

/** A process, a new one, and many from a file. */
export const oneProcessRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/process/$id',
    validateSearch: processSearch,
    component: lazyRouteComponent(() => import('./process-page.tsx'), 'ProcessPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/new',
    validateSearch: ({ state }: Record<string, unknown>): { state?: string } =>
      typeof state === 'string' && state !== '' ? { state } : {},
    component: lazyRouteComponent(() => import('../new/new-process-page.tsx'), 'NewProcessPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/import',
    validateSearch: ({ mode }: Record<string, unknown>): { mode?: 'update' | 'upsert' } =>
      mode === 'update' || mode === 'upsert' ? { mode } : {},
    component: lazyRouteComponent(() => import('../import/import-page.tsx'), 'ImportPage'),
  }),
] as const
