import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { parseWord, textIn } from './api/address.ts'
import { readJobSearch } from './background-job/search.ts'
import { readMessageSearch } from './message/message-search.ts'
import { ENTRY_STATUSES } from './parts/background-job/statuses.ts'
import { Loading } from './parts/states.tsx'
import { readOneSearch } from './parts/table/only-one.tsx'
import { readTimelineFilter, type TimelineFilter } from './parts/timeline/shown.ts'
import { readListSearch } from './process/list/list-search.ts'
import { readSendSearch } from './process/send/send-search.ts'
import { readRequestSearch } from './request/request-search.ts'
import { isOwnPage, providerAnswerIn } from './session/sign-in-address.ts'
import { frameRoute, unknownRoute } from './shell/frame-route.tsx'
import { rootRoute } from './shell/root-route.tsx'

/**
 * The search of the address when the page was opened, before the router parses it: a code such as `12e3` is not a
 * number.
 */
const OPENED_WITH = location.search
/**
 * A single object: the page clears its address, which loads the route again, and would do so endlessly for new objects.
 */
const PROVIDER_ANSWER = providerAnswerIn(OPENED_WITH)

/** The page for those who are not signed in yet. */
const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: ({ from }: Record<string, unknown>) => (isOwnPage(from) ? { from } : {}),
    component: lazyRouteComponent(() => import('./session/sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in/openid',
    validateSearch: () => ({}),
    loader: () => PROVIDER_ANSWER,
    component: lazyRouteComponent(() => import('./session/openid-page.tsx'), 'OpenIdPage'),
  }),
] as const

const sessionRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/me',
    component: lazyRouteComponent(() => import('./session/account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/session',
    validateSearch: readOneSearch,
    component: lazyRouteComponent(() => import('./session/session-list.tsx'), 'SessionsPage'),
  }),
] as const

const overviewRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/',
    validateSearch: ({ procedure }: Record<string, unknown>) => (typeof procedure === 'string' ? { procedure } : {}),
    component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
  }),
] as const

const processListRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/process',
    component: lazyRouteComponent(() => import('./process/first-page.tsx'), 'FirstProcedurePage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/process',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./process/list/process-table.tsx'), 'ProcessesPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/board',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./process/board/board-page.tsx'), 'BoardPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/send',
    validateSearch: readSendSearch,
    component: lazyRouteComponent(() => import('./process/send/send-page.tsx'), 'SendPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/trash',
    component: lazyRouteComponent(() => import('./process/trash-page.tsx'), 'TrashPage'),
  }),
] as const

const PROCESS_TABS = ['history', 'messages', 'customer', 'json'] as const

interface ProcessSearch {
  tab?: (typeof PROCESS_TABS)[number]
  /** The filter of the timeline; undefined for history and messages. */
  show?: TimelineFilter
  /** The moment that is shown: epoch milliseconds, or a version. */
  asOf?: string
  /** True shows the author of each field. */
  blame?: true
}

function processSearch({ tab, show, asOf, blame }: Record<string, unknown>): ProcessSearch {
  const kind = readTimelineFilter(show)
  const shown = PROCESS_TABS.find(each => each === tab)
  return {
    ...(shown === undefined || shown === 'history' ? {} : { tab: shown }),
    ...(kind === undefined ? {} : { show: kind }),
    ...(typeof asOf === 'string' || typeof asOf === 'number' ? { asOf: String(asOf) } : {}),
    ...(blame === true ? { blame } : {}),
  }
}

/** A process, a new one, and many from a file. */
const oneProcessRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/process/$id',
    validateSearch: processSearch,
    component: lazyRouteComponent(() => import('./process/one/process-page.tsx'), 'ProcessPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/new',
    validateSearch: ({ state }: Record<string, unknown>): { state?: string } =>
      typeof state === 'string' && state !== '' ? { state } : {},
    component: lazyRouteComponent(() => import('./process/new/new-process-page.tsx'), 'NewProcessPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/import',
    validateSearch: ({ mode }: Record<string, unknown>): { mode?: 'update' | 'upsert' } =>
      mode === 'update' || mode === 'upsert' ? { mode } : {},
    component: lazyRouteComponent(() => import('./process/import/import-page.tsx'), 'ImportPage'),
  }),
] as const

const CUSTOMER_TABS = ['processes', 'messages', 'json'] as const

interface CustomerSearch {
  /** The tab; undefined for the timeline. */
  tab?: (typeof CUSTOMER_TABS)[number]
  /** The filter of the timeline; undefined for all. */
  show?: TimelineFilter
}

const customerRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/customer',
    validateSearch: ({ find }: Record<string, unknown>): { find?: string } => {
      const known = textIn(find)
      return known === undefined ? {} : { find: known }
    },
    component: lazyRouteComponent(() => import('./customer/list-page.tsx'), 'CustomersPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/customer/$recordId',
    validateSearch: ({ tab, show }: Record<string, unknown>): CustomerSearch => {
      const [shown, kind] = [CUSTOMER_TABS.find(each => each === tab), readTimelineFilter(show)]
      return { ...(shown && { tab: shown }), ...(kind && { show: kind }) }
    },
    component: lazyRouteComponent(() => import('./customer/customer-page.tsx'), 'CustomerPage'),
  }),
] as const

const messageRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/message',
    validateSearch: readMessageSearch,
    component: lazyRouteComponent(() => import('./message/list-page.tsx'), 'MessagesPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/message/$messageId',
    component: lazyRouteComponent(() => import('./message/message-page.tsx'), 'MessagePage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/opt-out',
    component: lazyRouteComponent(() => import('./message/opt-out-page.tsx'), 'OptOutsPage'),
  }),
] as const

interface EntriesSearch {
  entries?: (typeof ENTRY_STATUSES)[number]
  /** The key of a group of failures: only its entries. */
  why?: string
}

const backgroundJobRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/background-job',
    validateSearch: readJobSearch,
    component: lazyRouteComponent(() => import('./background-job/list-page.tsx'), 'JobsPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/background-job/$jobId',
    validateSearch: ({ entries, why }: Record<string, unknown>): EntriesSearch => {
      const known = parseWord(ENTRY_STATUSES, entries)
      return known ? { entries: known, ...(typeof why === 'string' ? { why } : {}) } : {}
    },
    component: lazyRouteComponent(() => import('./background-job/job-page.tsx'), 'JobPage'),
  }),
] as const

/** The definitions of procedures. `new` is no short id here: a procedure of that name is reached by its id. */
const definitionRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure',
    component: lazyRouteComponent(() => import('./procedure/list-page.tsx'), 'ProceduresPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId',
    component: lazyRouteComponent(() => import('./procedure/procedure-page.tsx'), 'ProcedurePage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/new',
    component: lazyRouteComponent(() => import('./procedure/new-page.tsx'), 'NewProcedurePage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/edit',
    component: lazyRouteComponent(() => import('./procedure/edit-page.tsx'), 'EditProcedurePage'),
  }),
] as const

const pluginRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/plugin',
    component: lazyRouteComponent(() => import('./plugin/list-page.tsx'), 'PluginsPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/plugin/$pluginId',
    validateSearch: ({ template }: Record<string, unknown>): { template?: string } =>
      typeof template === 'string' ? { template } : {},
    component: lazyRouteComponent(() => import('./plugin/plugin-page.tsx'), 'PluginPage'),
  }),
] as const

const userRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/user',
    validateSearch: readOneSearch,
    component: lazyRouteComponent(() => import('./user/list-page.tsx'), 'UsersPage'),
  }),
] as const

const apiKeyRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/api-key',
    validateSearch: readOneSearch,
    component: lazyRouteComponent(() => import('./api-key/list-page.tsx'), 'ApiKeysPage'),
  }),
] as const

const webhookRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/webhook',
    component: lazyRouteComponent(() => import('./webhook/list-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/webhook/$webhookId',
    validateSearch: ({ failed, event }: Record<string, unknown>) => ({
      ...(failed === true ? { failed: true } : {}),
      // The id of the event whose deliveries alone are shown.
      ...(typeof event === 'string' && event !== '' ? { event } : {}),
    }),
    component: lazyRouteComponent(() => import('./webhook/webhook-page.tsx'), 'WebhookPage'),
  }),
] as const

const eventRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/event',
    validateSearch: ({ type, before, opened }: Record<string, unknown>) => ({
      ...(typeof type === 'string' ? { type } : {}),
      ...(typeof before === 'number' && before > 0 ? { before } : {}),
      // The number of the event that is shown by itself.
      ...(typeof opened === 'number' && opened > 0 ? { opened } : {}),
    }),
    component: lazyRouteComponent(() => import('./event/log-page.tsx'), 'EventLogPage'),
  }),
] as const

const requestRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/request',
    validateSearch: readRequestSearch,
    component: lazyRouteComponent(() => import('./request/list-page.tsx'), 'RequestsPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/request/$requestId',
    component: lazyRouteComponent(() => import('./request/request-page.tsx'), 'RequestPage'),
  }),
] as const

const usageRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/usage',
    validateSearch: ({ month }: Record<string, unknown>) =>
      typeof month === 'string' && /^\d{4}-\d\d$/.test(month) ? { month } : {},
    component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'UsagePage'),
  }),
] as const

const tree = rootRoute.addChildren([
  ...signInRoutes,
  frameRoute.addChildren([
    ...overviewRoutes,
    ...processListRoutes,
    ...oneProcessRoutes,
    ...definitionRoutes,
    ...customerRoutes,
    ...messageRoutes,
    ...backgroundJobRoutes,
    ...pluginRoutes,
    ...apiKeyRoutes,
    ...eventRoutes,
    ...webhookRoutes,
    ...userRoutes,
    ...sessionRoutes,
    ...requestRoutes,
    ...usageRoutes,
    unknownRoute,
  ]),
])

/** Every address there is. Each page is a chunk of its own, loaded when its link is pointed at. */
export const router = createRouter({
  routeTree: tree,
  basepath: '/admin',
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
