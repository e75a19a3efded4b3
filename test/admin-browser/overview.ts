import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { call, open, settled, type Visit } from './visit.ts'

/** The problems of the team are listed, each with a link; a number leads to the list that it counts. */
export async function checkOverview(visit: Visit, page: Page): Promise<void> {
  const hooks = await call<{ id: string; enabled: boolean; failingSince: number | null }[]>(
    visit,
    'GET',
    '/v1/ext/webhook',
  )
  const failing = hooks.find(({ enabled, failingSince }) => enabled && failingSince !== null)
  await open(page, '/')
  await page.waitForURL(/procedure=/)
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await settled(page)
  await checkAssigned(visit, page)
  const attention = page.locator('section', { has: page.getByRole('heading', { name: 'Needs attention' }) })
  if (failing) await attention.locator(`a[href$="/webhook/${failing.id}"]`).waitFor()
  const due = attention.getByRole('link', { name: /[\d,]+ next actions? due/ }).first()
  const count = /([\d,]+) next action/.exec((await due.textContent()) ?? '')?.[1]
  await due.click()
  await settled(page)
  await page
    .getByText(new RegExp(`(^|\\D)${count}(\\D|$)`))
    .first()
    .waitFor()
  expectThat(page.url().includes('nextActionAt'), `due processes led to ${page.url()}`)
  await page.goBack()
  await settled(page)
  const messages = page.locator('section', { has: page.getByRole('heading', { name: /^Messages of the last/ }) })
  await messages.getByRole('link', { name: /failed$/ }).click()
  await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
  expectThat(page.url().includes('status=FAILED'), `failed messages led to ${page.url()}`)
  console.log('the overview names what needs somebody, and its numbers lead to their lists')
}

/**
 * The open processes of the signed-in user are listed, due soonest first; the number of each procedure leads to the
 * list of them.
 */
async function checkAssigned(visit: Visit, page: Page): Promise<void> {
  const { user } = await call<{ user: { id: string } }>(visit, 'GET', '/v1/ext/me')
  const [later, sooner] = [Date.now() + 7_200_000, Date.now() - 60_000]
  for (const [key, nextActionAt] of [
    ['MINE-LATER', later],
    ['MINE-SOONER', sooner],
  ] as const)
    await call(visit, 'POST', '/v1/ext/procedure/lead/process', {
      data: { lead_id: key },
      assignedTo: user.id,
      nextActionAt,
    })
  await page.reload()
  await settled(page)
  const mine = page.locator('section', { has: page.getByRole('heading', { name: 'Assigned to me' }) })
  await mine.getByRole('link', { name: 'MINE-LATER' }).waitFor()
  const text = (await mine.textContent()) ?? ''
  expectThat(text.indexOf('MINE-SOONER') < text.indexOf('MINE-LATER'), `not due soonest first: ${text}`)
  await mine.getByRole('link', { name: /^Lead/ }).first().click()
  await settled(page)
  await page.getByRole('link', { name: 'MINE-SOONER' }).waitFor()
  expectThat(page.url().includes('assignedTo') && page.url().includes('nextActionAt'), `it led to ${page.url()}`)
  await page.goBack()
  await settled(page)
}
