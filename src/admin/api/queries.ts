import { QueryClient } from '@tanstack/react-query'

const FRESH_MS = 5_000

export const queries = new QueryClient({
  defaultOptions: {
    // The client of the API retries by itself, where that is safe.
    queries: { retry: false, staleTime: FRESH_MS },
    mutations: { retry: false },
  },
})
