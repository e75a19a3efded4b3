import { describe, expect, it } from 'vitest'
import { CaseworkerError } from '../../src/client/client.ts'
import { formatUndecided } from '../../src/client/command-line/output/terminal.ts'

const lost = (operation: string, code: CaseworkerError['code'] = 'no_response') =>
  new CaseworkerError({ code, status: 0, errors: [{ code, message: 'no response' }], operation })

describe('a command whose answer is lost', () => {
  it('says that the change may have been made, and the key with which the same again has no second effect', () => {
    for (const operation of ['sendTemplateMessageToPhone', 'createProcess', 'bulkSendTemplateMessage'])
      for (const code of ['no_response', 'internal_error', 'unexpected_response'] as const)
        expect(formatUndecided(lost(operation, code), 'key-7')).toBe(
          '  it is not known whether this was done; the same again, with no second effect: --idempotency-key key-7\n',
        )
  })

  it('names no key where the command takes none', () => {
    expect(formatUndecided(lost('createProcess'), undefined)).toBe('  it is not known whether this was done\n')
  })

  it('says nothing of what was only read, and of what was refused', () => {
    expect(formatUndecided(lost('listProcesses'), 'key-7')).toBe('')
    expect(formatUndecided(lost('getProcessById'), 'key-7')).toBe('')
    expect(formatUndecided(lost('createProcess', 'invalid_request'), 'key-7')).toBe('')
  })
})
