import type { Browser, Locator, Page } from 'playwright-core'
import type { StartedTeam } from '../support/started.ts'

export type Scheme = 'light' | 'dark'
export interface Viewport {
  width: number
  height: number
}
export const WIDE: Viewport = { width: 1280, height: 900 }
export const NARROW: Viewport = { width: 390, height: 844 }

/** A browser, the server that it visits, and the errors of all pages so far. */
export interface Session {
  browser: Browser
  running: StartedTeam
  errors: string[]
}

/** A page whose errors are kept for the end, save the refusals that are asked for: thrown here, nobody would clean up. */
export async function opened(
  { browser, errors }: Session,
  viewport = WIDE,
  colorScheme: Scheme = 'light',
  javaScriptEnabled = true,
): Promise<Page> {
  const page = await browser.newPage({ viewport, colorScheme, javaScriptEnabled })
  page.on('pageerror', error => errors.push(`${page.url()}: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().includes('404')) errors.push(`${page.url()}: ${message.text()}`)
  })
  return page
}

export async function says(locator: Locator, text: string): Promise<void> {
  await locator.filter({ hasText: text }).first().waitFor({ timeout: 30_000 })
}

export function expectThat(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise)
}
