import { parseTime } from '../../import-file/cells.ts'
import type { CreateApiKeyBody } from '../generated/bodies.ts'
import { type Command, type ParsedArguments, type Session, UsageError } from './command/command.ts'
import { getChoice, getOption, getWholeNumber, hasFlag } from './command/options.ts'
import { printOne, printRows, ROW_OPTIONS } from './output/rows.ts'
import { confirm } from './output/terminal.ts'
import { YES_OPTION } from './process-options.ts'

const ACTIONS = ['list', 'create', 'rotate', 'revoke'] as const
const ROLES = ['admin', 'manager', 'agent', 'viewer'] as const satisfies readonly CreateApiKeyBody['role'][]
const COLUMNS = ['id', 'name', 'role', 'user', 'lastFour', 'lastUsedAt', 'expiresAt', 'revokedAt', 'description']
const ISSUED_COLUMNS = ['id', 'name', 'role', 'user', 'expiresAt', 'token']

export const keysCommand: Command = {
  name: 'keys',
  group: 'Team',
  summary: 'List API keys, create one, rotate one, or revoke one',
  details:
    'The token of a new key is in what create and rotate print, and nowhere else. rotate makes a new key with the same name, role and user; both tokens work until --overlap has passed. Without it the old one stops at once, as with revoke, so the command asks.',
  arguments: [
    { name: 'action', summary: 'what to do (default list)', optional: true, choices: ACTIONS },
    { name: 'key', summary: 'its id; of a new one what it is for', optional: true },
  ],
  options: {
    role: { action: 'create', value: 'role', summary: 'what the key may do', choices: ROLES },
    user: {
      action: 'create',
      value: 'user',
      summary: 'for whom it acts: an id, a username or an e-mail address (default you)',
    },
    expires: { action: 'create', value: 'time', summary: 'when it ends: 2027-01-31T00:00:00Z (default never)' },
    description: { action: 'create', value: 'text', summary: 'more about it' },
    overlap: { action: 'rotate', value: 'seconds', summary: 'how long the old token still works (default not at all)' },
    ...YES_OPTION,
    ...ROW_OPTIONS,
  },
  examples: [
    'keys create "Nightly import" --role agent --user importer --columns token --format csv',
    'keys rotate 01935c1e-5a00-7002-a1b2-c3d4e5f60718 --overlap 86400',
    'keys revoke 01935c1e-5a00-7002-a1b2-c3d4e5f60718',
  ],
  run: {
    async remote(session, args) {
      const { client, signal } = session
      const [action = 'list', key] = args.words
      if (action === 'list') {
        if (key !== undefined) throw new UsageError('keys list takes no further argument')
        await printRows(args, await client.apiKeys.list({ signal }), COLUMNS)
        return undefined
      }
      if (key === undefined)
        throw new UsageError(
          `keys ${action} needs ${action === 'create' ? 'the name of the key' : 'the id of the key'}`,
        )
      if (action === 'create') return createKey(session, args, key)
      return action === 'rotate' ? rotateKey(session, args, key) : revokeKey(session, args, key)
    },
  },
}

async function createKey({ client, signal }: Session, args: ParsedArguments, name: string): Promise<undefined> {
  const role = getChoice(args, 'role', ROLES)
  if (role === undefined) throw new UsageError(`keys create needs --role: ${ROLES.join(', ')}`)
  const body = {
    name,
    role,
    user: getOption(args, 'user'),
    expiresAt: parseExpiry(args),
    description: getOption(args, 'description'),
  }
  await printOne(args, await client.apiKeys.create(body, { signal }), ISSUED_COLUMNS)
  return undefined
}

function parseExpiry(args: ParsedArguments): number | undefined {
  const text = getOption(args, 'expires')
  if (text === undefined) return undefined
  const time = parseTime(text)
  if (typeof time === 'number') return time
  throw new UsageError(`--expires takes a time in ISO 8601 with its offset, such as 2027-01-31T00:00:00Z, not ${text}`)
}

async function rotateKey({ client, signal }: Session, args: ParsedArguments, id: string): Promise<undefined> {
  const overlapSeconds = getWholeNumber(args, 'overlap')
  if (overlapSeconds === undefined)
    await confirm(`The token of ${id} will stop working at once. Continue?`, hasFlag(args, 'yes'), signal)
  await printOne(args, await client.apiKeys.rotate(id, { overlapSeconds }, { signal }), ISSUED_COLUMNS)
  return undefined
}

async function revokeKey({ client, signal }: Session, args: ParsedArguments, id: string): Promise<undefined> {
  await confirm(`The token of ${id} will stop working at once, for good. Continue?`, hasFlag(args, 'yes'), signal)
  await printOne(args, await client.apiKeys.revoke(id, { signal }), COLUMNS)
  return undefined
}
