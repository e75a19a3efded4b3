import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frameRoute } from '../shell/frame-route.tsx'

/** The definitions of procedures. `new` is no short id here: a procedure of that name is reached by its id. */
export const definitionRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure',
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'ProceduresPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId',
    component: lazyRouteComponent(() => import('./procedure-page.tsx'), 'ProcedurePage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/new',
    component: lazyRouteComponent(() => import('./edit/new-page.tsx'), 'NewProcedurePage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/edit',
    component: lazyRouteComponent(() => import('./edit/edit-page.tsx'), 'EditProcedurePage'),
  }),
] as const
