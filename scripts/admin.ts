import { NoTokenError, runTeamCommand, TEAM_COMMANDS, type TeamCommand } from './admin/team.ts'
import { readArguments, refuseArguments } from './arguments.ts'
import { type Installation, openInstallation, UsageError } from './installation/options.ts'
import { pause, resume } from './installation/pause.ts'
import { restore } from './installation/restore.ts'
import { rollback } from './installation/rollback.ts'

// What the operator of an installation does: with one team, by the Worker's routes for the operator; with the whole of it,
// by wrangler.

const USAGE = `usage: OPERATOR_TOKEN=… npm run admin -- team export|import|erase <team> [--url <address>] [--folder <folder>]
       OPERATOR_TOKEN=… npm run admin -- team sign-in <team> [--url <address>] [--user <name>]
       npm run admin -- pause|resume --installation <name> [--env-file <file>]
       npm run admin -- restore --installation <name> (--to <time> | --bookmark <bookmark>) [--unread] [--yes] [--env-file <file>]
       npm run admin -- rollback --installation <name> [--to <version>] [--url <address>] [--yes] [--env-file <file>]
  <team>          its short id or id. "erase" takes the id only
  --user          whom the sign-in link is for, by username or e-mail address: the first active admin if nobody is named
  --url           the installation: the \`npm start\` that runs, or http://localhost:8787, if none is named
  --folder        where an export is written to, or read from: ./<team> if none is named
  --installation  one that \`npm run setup\` has made: its files are in installations/
  --to            restore: the moment that the database goes back to, with its zone: 2026-11-26T03:00:00Z;
                  rollback: the id of the version of the code, if not what ran before
  --bookmark      the same by a bookmark: that of another restore takes it back
  --unread        the database does not answer: what was revoked since that time is not read before, and comes back
  --yes           asks nothing
  --env-file      has the credentials for Cloudflare, as for \`npm run setup\`
The secret OPERATOR_TOKEN of the installation is read from the environment; that of \`npm start\` is found by itself.`

const text = { type: 'string' } as const
const { positionals, values } = readArguments(USAGE, {
  options: {
    ...{ url: text, folder: text, user: text, installation: text, to: text, bookmark: text, 'env-file': text },
    ...{ yes: { type: 'boolean' }, unread: { type: 'boolean' } },
  },
  positionalsMax: 3,
})
const [noun = '', verb = '', team = ''] = positionals
const OF_INSTALLATION: Record<string, (installation: Installation) => Promise<void> | void> = {
  pause,
  resume,
  rollback: installation => rollback(installation, { ...values, isAgreed: values.yes === true }),
  restore: installation =>
    restore(installation, { ...values, isAgreed: values.yes === true, isUnread: values.unread === true }),
}

try {
  const ofInstallation = OF_INSTALLATION[noun]
  if (ofInstallation) {
    if (verb !== '') throw new UsageError(`unexpected argument "${verb}"`)
    await ofInstallation(openInstallation(values.installation, values['env-file']))
  } else {
    if (noun !== 'team' || !TEAM_COMMANDS.includes(verb as TeamCommand) || team === '')
      throw new UsageError('team export, import, erase or sign-in, and a team; or pause, resume, restore or rollback')
    await runTeamCommand(verb as TeamCommand, team, values)
  }
} catch (error) {
  if (error instanceof UsageError || error instanceof NoTokenError) refuseArguments(error.message, USAGE)
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
