import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortByNextAction } from '../../src/admin/overview/assigned-processes.ts'

test('assigned processes are listed by due time, whichever procedure they are of, and those without one last', () => {
  const of = fc.record({
    nextActionAt: fc.option(fc.integer({ min: 1, max: 9 })),
    createdAt: fc.integer({ min: 1, max: 9 }),
  })
  fc.assert(
    fc.property(fc.array(of), processes => {
      const shown = sortByNextAction(processes.map(process => ({ process }))).map(({ process }) => process)
      expect(shown).toHaveLength(processes.length)
      for (const [nth, one] of shown.entries()) {
        const next = shown[nth + 1]
        if (next === undefined) break
        if (one.nextActionAt === null) expect(next.nextActionAt).toBe(null)
        else if (next.nextActionAt !== null) expect(one.nextActionAt).toBeLessThanOrEqual(next.nextActionAt)
        if (one.nextActionAt === next.nextActionAt) expect(one.createdAt).toBeGreaterThanOrEqual(next.createdAt)
      }
    }),
  )
})
