import { createRootRoute, Outlet } from '@tanstack/react-router'
import { FailureNote } from '../parts/states.tsx'
import { ToastsProvider } from '../parts/toasts.tsx'

export const rootRoute = createRootRoute({
  component: () => (
    <ToastsProvider>
      <Outlet />
    </ToastsProvider>
  ),
  errorComponent: ({ error, reset }) => (
    <main className="mx-auto max-w-xl p-6">
      <h1 className="mb-3 text-lg font-semibold">This page could not be shown</h1>
      <FailureNote error={error} onRetry={reset} />
    </main>
  ),
})
