import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { newVisitor, open, signIn, type Visit } from './visit.ts'

/** A user who is signed in twice ends the other session by one question; the page says what the role may do. */
export async function checkAccount(visit: Visit, page: Page): Promise<void> {
  const [lost, kept] = [await newVisitor(visit), await newVisitor(visit)]
  await signIn(visit, lost, 'stefan')
  const own = await signIn(visit, kept, 'stefan')
  await open(own, '/me')
  await own.getByText(/^Reads, changes processes, /).waitFor()
  const rows = own.getByRole('table', { name: 'Sessions' }).getByRole('row')
  await rows.nth(2).waitFor()
  await own.getByRole('button', { name: 'Sign out everywhere else' }).click()
  const question = own.getByRole('alertdialog')
  await question.getByRole('button', { name: 'Keep' }).click()
  await question.waitFor({ state: 'detached' })
  expectThat((await rows.count()) > 2, 'a session was ended though nobody said so')
  await own.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await question.getByRole('button', { name: 'End the others' }).click()
  await own.getByText('You are signed in here only').waitFor()
  await rows.nth(2).waitFor({ state: 'detached' })
  await rows.nth(1).getByText('This one').waitFor()
  expectThat((await own.getByRole('button', { name: 'Sign out everywhere else' }).count()) === 0, 'it is offered again')
  await lost.close()
  await kept.close()

  await open(page, '/plugin')
  await page.getByRole('link', { name: 'Solar sales and service' }).click()
  await page.getByRole('table', { name: 'Messages by day and delivery' }).waitFor({ state: 'attached' })
  await open(page, '/usage')
  await page.getByText(/[A-Z][a-z]+ 20\d\d came to .*\$/).waitFor()
  console.log('one is signed out everywhere else; a plugin shows its messages, usage what the month before came to')
}
