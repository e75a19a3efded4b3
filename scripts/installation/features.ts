import { visit } from '../smoke/run.ts'

const UPLOAD_MS = 8_000

/** Walks through every feature, as `npm run smoke` does, with an admin's token in SMOKE_TOKEN; without it, nothing is done. */
export async function checkFeatures(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  const { SMOKE_TOKEN: token } = process.env
  if (token === undefined) {
    console.log(`          With SMOKE_TOKEN, an admin's token, every feature is walked through.`)
    return true
  }
  const outcomes = await visit({ url, token, slowMs: UPLOAD_MS, emulated: false, headers }, () => {})
  const failed = outcomes.filter(({ result }) => result === 'failed')
  for (const { check, reason } of failed) console.log(`FAILED    ${check}: ${reason ?? ''}`)
  console.log(`checked   ${outcomes.length - failed.length} of ${outcomes.length} features work`)
  return failed.length === 0
}
