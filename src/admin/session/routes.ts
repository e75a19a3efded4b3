import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readOneSearch } from '../parts/table/only-one.tsx'
import { frameRoute } from '../shell/frame-route.tsx'
import { rootRoute } from '../shell/root-route.tsx'
import { isOwnPage } from './own-page.ts'
import { providerAnswerIn } from './provider-answer.ts'

/** As it was when the page was opened, before the router reads it: a code such as `12e3` is not a number. */
const OPENED_WITH = location.search

/** The page for those who are not signed in yet. */
export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: ({ from }: Record<string, unknown>) => (isOwnPage(from) ? { from } : {}),
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in/openid',
    validateSearch: () => ({}),
    loader: () => providerAnswerIn(OPENED_WITH),
    component: lazyRouteComponent(() => import('./openid-page.tsx'), 'OpenIdPage'),
  }),
] as const

export const sessionRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/me',
    component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/session',
    validateSearch: readOneSearch,
    component: lazyRouteComponent(() => import('./sessions-page.tsx'), 'SessionsPage'),
  }),
] as const
