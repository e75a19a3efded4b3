import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    name: 'client: events go on after the last event of the team',
    file: 'src/client/event/follow.ts',
    find: 'position = { after: page.next }',
    replace: 'position = { after: page.latest }',
    tests: ['test/client/events.test.ts'],
    only: 'page by page',
    why: 'What did not fit into a page is missed.',
  },
  {
    name: 'client: a network that is down for long ends the events',
    file: 'src/client/event/follow.ts',
    find: "isRetryable({ code, status }, 'safe')",
    replace: "isRetryable({ code, status }, 'never')",
    tests: ['test/client/events.test.ts'],
    only: 'outlasts failures',
    why: 'A consumer stops whenever the API is deployed.',
  },
  {
    name: 'client: events are asked for without a pause',
    file: 'src/client/event/follow.ts',
    find: 'Math.max(0, PAUSE_MS - (Date.now() - startedAt))',
    replace: '0',
    tests: ['test/client/events.test.ts'],
    only: 'again and again',
    why: 'Where nothing waits, thousands of requests a second find nothing.',
  },
]
