import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'

test('the figures of messages are those of all pages of the count, the first day first', async () => {
  const group = { status: 'READ', plugin: null, template: null }
  const pages = [
    { _data: [{ ...group, day: '2026-11-22', count: 5 }], _meta: { next: 'abc' } },
    {
      _data: [
        { ...group, day: '2026-11-21', count: 7 },
        { ...group, day: '2026-11-22', count: 1 },
      ],
      _meta: { next: null },
    },
  ]
  const asked: (string | null)[] = []
  vi.stubGlobal('location', { origin: 'https://acme.example' })
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(new URL(address).searchParams.get('cursor'))
    return Response.json(pages[asked.length - 1])
  })
  const { messageCountsQuery } = await import('../../src/admin/parts/message/message-counts.ts')
  const counts = await new QueryClient().fetchQuery(messageCountsQuery(Date.now()))
  expect(asked).toEqual([null, 'abc'])
  expect(counts.map(({ day, count }) => [day, count])).toEqual([
    ['2026-11-21', 7],
    ['2026-11-22', 6],
  ])
})
