import { expect, it, vi } from 'vitest'
import { createWarningPrinter } from '../../src/client/command-line/output/terminal.ts'

it('a warning is printed once, and what was recognised of a table, which was told before, is none', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const warn = createWarningPrinter()
  for (const code of ['table_recognised', 'column_left_out', 'column_left_out'] as const)
    warn({ code, message: `it is ${code}`, path: '/body' })
  expect(write.mock.calls.map(([text]) => text)).toEqual(['warning: it is column_left_out\n'])
  write.mockRestore()
})
