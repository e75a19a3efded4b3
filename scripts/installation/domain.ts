import { lookup } from 'node:dns/promises'
import { existsSync, readdirSync } from 'node:fs'
import { UsageError } from './options.ts'
import { FOLDER, readLastRun, readRecord } from './record.ts'

const RECORD = /\.json$/

const installations = (): string[] =>
  existsSync(FOLDER)
    ? readdirSync(FOLDER)
        .filter(file => RECORD.test(file) && !file.endsWith('.secrets.json'))
        .map(file => file.replace(RECORD, ''))
    : []

/**
 * Whether the domain is free, or this installation's already. Without a terminal, wrangler asks nobody: it takes the domain
 * from the Worker that has it, and replaces its DNS records.
 */
export async function checkDomain(name: string, domain: string, replacesDns: boolean): Promise<void> {
  const other = installations().find(each => each !== name && readRecord(each).domain === domain)
  if (other !== undefined) throw new UsageError(`${domain} is the domain of the installation ${other}`)
  if (readLastRun(name).domain === domain || replacesDns) return
  const isTaken = await lookup(domain).then(
    () => true,
    () => false,
  )
  if (isTaken)
    throw new UsageError(
      `${domain} leads somewhere already, and deploying replaces its DNS records: remove them first, or add --replace-dns, even if it already leads to ${name}, set up elsewhere`,
    )
}
