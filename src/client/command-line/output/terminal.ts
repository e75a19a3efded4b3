import { once } from 'node:events'

/** A token that got into a message, for example as a mistyped argument. */
const TOKEN = /\bcw_\w{6,}/g

/** Waits for a slow reader, so that a long list is not buffered in memory. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** Messages go to standard error, and never show a token. */
export const printError = (text: string): void => {
  process.stderr.write(text.replace(TOKEN, 'cw_…'))
}

/** See https://no-color.org. */
export const hasColor = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR

/** How many columns a line of the table may take; unlimited where nobody sees it. */
export const terminalWidth = (): number =>
  process.stdout.isTTY ? (process.stdout.columns ?? 80) : Number.POSITIVE_INFINITY
