import { opened, type Session, says } from '../browser/session.ts'

/** Is asked for the token, pastes it, tries a call, makes a mistake, and follows the link of the error. */
export async function tryACall(session: Session): Promise<void> {
  const { running } = session
  const page = await opened(session)
  await page.goto(`${running.url}/docs/reference/get-process-by-primary-key`)
  const form = page.locator('form.try')
  await form.getByRole('button', { name: 'Send' }).click()
  await says(form.locator('.result'), 'needs a token')
  await page.locator('#token:focus').waitFor()
  await page.keyboard.type(running.token)
  await page.keyboard.press('Enter')
  await says(form.locator('.result .status'), '200')
  await says(form.locator('.result pre'), 'LEAD-00000')
  await form.getByLabel('primaryKeyValue').fill('NOBODY')
  await says(page.locator('.panel code'), '/lead_id/NOBODY')
  await form.getByRole('button', { name: 'Send' }).click()
  await says(form.locator('.result .status'), '404')
  await form.locator('.result').getByRole('link', { name: 'not_found' }).click()
  await page.waitForURL('**/docs/errors#not_found')
  await says(page.locator('#not_found'), 'not_found')
  await page.close()
  console.log("a call tried, a mistake made, its error's link followed")
}
