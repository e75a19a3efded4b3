import { readArguments, refuseArguments } from './arguments.ts'
import { removePreviousKey, rotateKey } from './installation/key-rotation.ts'
import { type Installation, openInstallation, UsageError } from './installation/options.ts'
import { pause, resume } from './installation/pause.ts'
import { restore } from './installation/restore.ts'
import { rollback } from './installation/rollback.ts'

// The operator's commands for a whole installation, by wrangler. Those for one team are `npm run team`.

const USAGE = `usage: npm run admin -- pause --installation <name> [--env-file <file>]
       npm run admin -- resume --installation <name> [--abandon-restore] [--env-file <file>]
       npm run admin -- restore --installation <name> (--to <time> | --bookmark <bookmark>) [--unread] [--take-over] [--yes] [--env-file <file>]
       npm run admin -- rollback --installation <name> [--to <version>] [--url <address>] [--yes] [--env-file <file>]
       npm run admin -- rotate-key|remove-previous-key --installation <name> [--env-file <file>]
  --installation  one that \`npm run setup\` has made: its files are in installations/
  --to            restore: the moment that the database goes back to, with its zone: 2026-11-26T03:00:00Z;
                  rollback: the id of the version of the code, if not what ran before
  --bookmark      the same by a bookmark of installations/<name>.bookmarks: that of another restore takes it back
  --unread        the database does not answer: what was revoked since that time is not read before, and comes back
  --take-over     restore: another machine has begun one, and its files are lost: what was taken away before comes back
  --abandon-restore  resume: opens what a restore that broke off has closed, and forgets what it had left to do
  --url           rollback: where the installation answers, if setup was told of no domain
  --yes           asks nothing
  --env-file      has the credentials for Cloudflare, as for \`npm run setup\`; rotate-key: the present key as
                  SECRETS_KEY_PREVIOUS, and a new one as SECRETS_KEY, if none is to be made`

const text = { type: 'string' } as const
const { positionals, values } = readArguments(USAGE, {
  options: {
    url: text,
    installation: text,
    to: text,
    bookmark: text,
    'env-file': text,
    yes: { type: 'boolean' },
    unread: { type: 'boolean' },
    'take-over': { type: 'boolean' },
    'abandon-restore': { type: 'boolean' },
  },
  positionalsMax: 1,
})
const [command = ''] = positionals

interface OperatorCommand {
  /** Those that it takes besides the options of all. */
  options?: readonly (keyof typeof values)[]
  run: (installation: Installation) => Promise<void> | void
}

const OPTIONS_OF_ALL = ['installation', 'env-file']
const COMMANDS: Record<string, OperatorCommand> = {
  pause: { run: pause },
  resume: {
    options: ['abandon-restore'],
    run: installation => resume(installation, { abandonsRestore: values['abandon-restore'] === true }),
  },
  'rotate-key': { run: installation => rotateKey(installation, installation.secrets) },
  'remove-previous-key': { run: removePreviousKey },
  rollback: {
    options: ['to', 'url', 'yes'],
    run: installation => rollback(installation, { ...values, isAgreed: values.yes === true }),
  },
  restore: {
    options: ['to', 'bookmark', 'unread', 'take-over', 'yes'],
    run: installation =>
      restore(installation, {
        ...values,
        isAgreed: values.yes === true,
        isUnread: values.unread === true,
        takesOver: values['take-over'] === true,
      }),
  },
}

try {
  const known = COMMANDS[command]
  if (!known)
    throw new UsageError(
      `${command === '' ? 'what to do is missing' : `there is no command ${command}`}: ${Object.keys(COMMANDS).join(', ')}`,
    )
  const taken: readonly string[] = [...OPTIONS_OF_ALL, ...(known.options ?? [])]
  const foreign = Object.keys(values).find(option => !taken.includes(option))
  if (foreign !== undefined) throw new UsageError(`${command} has no option --${foreign}`)
  await known.run(openInstallation(values.installation, values['env-file']))
} catch (error) {
  if (error instanceof UsageError) refuseArguments(error.message, USAGE)
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
