import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApiKey, IssuedApiKey } from '../../src/client/client.ts'
import { type ParsedArguments, UnaskedError } from '../../src/client/command-line/command/command.ts'
import { keysCommand } from '../../src/client/command-line/keys.ts'
import { newTeam, type Team } from '../support/api.ts'
import { createClient } from '../support/client.ts'

describe('caseworker keys', () => {
  let team: Team
  let output = ''

  beforeEach(async () => {
    team = await newTeam()
    vi.spyOn(process.stdout, 'write').mockImplementation(text => {
      output += text
      return true
    })
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  async function keys(words: string[], options: ParsedArguments['options'] = {}): Promise<string> {
    const { run } = keysCommand
    if (!('remote' in run)) throw new Error('the command needs a session')
    output = ''
    const connection = { url: '', token: '', profile: undefined }
    await run.remote(
      { client: createClient(team), connection, signal: new AbortController().signal },
      { words, options },
    )
    return output
  }
  const listed = async () =>
    (await keys([]))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as ApiKey)
  const create = async (name: string) => JSON.parse(await keys(['create', name], { role: 'agent' })) as IssuedApiKey
  /** Returns whether the API still accepts the token. */
  const works = (token: string | null) =>
    createClient({ ...team, token: token ?? '' }, { retries: 0 })
      .me()
      .then(() => true)
      .catch(() => false)

  it('creates a key for a role, with an end, and prints its token', async () => {
    const options = { role: 'agent', expires: '2099-01-31T00:00:00+01:00', description: 'Runs at two' }
    const key = JSON.parse(await keys(['create', 'Nightly import'], options)) as IssuedApiKey
    expect(key).toMatchObject({ name: 'Nightly import', role: 'agent', description: 'Runs at two' })
    expect(key.expiresAt).toBe(Date.parse('2099-01-30T23:00:00Z'))
    expect(await works(key.token)).toBe(true)
    const known = (await listed()).find(({ id }) => id === key.id)
    expect(known).toMatchObject({ name: 'Nightly import', lastFour: key.token?.slice(-4) })
    expect(known).not.toHaveProperty('token')
  })

  it('prints the token alone for a script', async () => {
    const text = await keys(['create', 'CI'], { role: 'viewer', format: 'csv', columns: 'token' })
    expect(text).toMatch(/^token\ncw_\w+\n$/)
  })

  it('rotates a key: with an overlap both tokens work, and nobody is asked', async () => {
    const old = await create('Shop')
    const key = JSON.parse(await keys(['rotate', old.id], { overlap: '3600' })) as IssuedApiKey
    expect(key).toMatchObject({ name: 'Shop', role: 'agent' })
    expect([await works(old.token), await works(key.token)]).toEqual([true, true])
  })

  it('rotates a key at once, or revokes it, only after a confirmation', async () => {
    const old = await create('Shop')
    for (const action of ['rotate', 'revoke']) await expect(keys([action, old.id])).rejects.toThrow(UnaskedError)
    expect((await listed()).find(({ id }) => id === old.id)).toMatchObject({ revokedAt: null, expiresAt: null })
    const key = JSON.parse(await keys(['rotate', old.id], { yes: true })) as IssuedApiKey
    expect((await listed()).find(({ id }) => id === old.id)?.revokedAt).not.toBeNull()
    expect(JSON.parse(await keys(['revoke', key.id], { yes: true })).revokedAt).toEqual(expect.any(Number))
  })

  it('refuses a senseless command line before anything is sent', async () => {
    await expect(keys(['create', 'Shop'])).rejects.toThrow('keys create needs --role: admin, manager, agent, viewer')
    await expect(keys(['create'], { role: 'agent' })).rejects.toThrow('keys create needs the name of the key')
    await expect(keys(['revoke'], { yes: true })).rejects.toThrow('keys revoke needs the id of the key')
    await expect(keys(['list', 'x'])).rejects.toThrow('keys list takes no further argument')
    await expect(keys(['create', 'Shop'], { role: 'agent', expires: 'tomorrow' })).rejects.toThrow('--expires takes')
    await expect(keys(['rotate', 'x'], { overlap: '0' })).rejects.toThrow('--overlap takes a whole number above 0')
    expect((await listed()).map(({ name }) => name)).not.toContain('Shop')
  })
})
