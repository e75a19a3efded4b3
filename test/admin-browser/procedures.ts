import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { open, settled, type Visit } from './visit.ts'

/** A procedure is made, used and changed after its outlook was seen; a change that processes are in the way of is refused by name. */
export async function checkProcedures({ running }: Visit, page: Page): Promise<void> {
  const call = async (method: string, address: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' }
    const response = await fetch(`${running.url}/v1/ext${address}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return ((await response.json()) as { _data: Record<string, unknown> })._data
  }
  const readStates = async () =>
    ((await call('GET', '/procedure/repair_job')).states as { shortId: string }[]).map(({ shortId }) => shortId)

  await open(page, '/procedure')
  await page.getByRole('link', { name: 'New procedure' }).click()
  const isActive = (label: string) =>
    page
      .getByRole('group', { name: label, exact: true })
      .getByLabel('Name', { exact: true })
      .evaluate(each => each === document.activeElement)
  await page.getByRole('button', { name: 'Add a state' }).click()
  expectThat(await isActive('State 3'), 'what is added is not where one writes on')
  await page.keyboard.type('Invoiced')
  const completed = page.getByLabel('Completed state').locator('option:checked')
  expectThat((await completed.textContent()) === 'Done', `a state that is added became the completed one`)
  await page.getByLabel('Completed state').selectOption('Invoiced')
  await page.getByRole('group', { name: 'State Open' }).getByLabel('Any state').uncheck()
  await page.getByRole('button', { name: 'What may follow Open: Done' }).waitFor()
  await page.getByRole('button', { name: 'Remove State Invoiced' }).click()
  expectThat((await completed.textContent()) === 'Done', `the completed state is ${await completed.textContent()}`)
  await page.getByRole('group', { name: 'State Open' }).getByLabel('Any state').check()
  await page.getByLabel('Name of the procedure').fill('Enquiry')
  await page.getByRole('button', { name: 'Create the procedure' }).click()
  await page.getByText('There is a procedure with this short id').waitFor()
  await page.getByLabel('Name of the procedure').fill('Repair job')
  await page.getByRole('button', { name: 'Add an attribute' }).click()
  const attribute = page.getByRole('group', { name: 'Attribute 1', exact: true })
  await attribute.getByLabel('Type').selectOption('integerEnum')
  await attribute.getByLabel('Name', { exact: true }).fill('Urgency')
  await page.getByRole('button', { name: 'Create the procedure' }).click()
  const urgency = page.getByRole('group', { name: 'Attribute Urgency' })
  await urgency.getByText('needs "values"').waitFor()
  await urgency.getByLabel('Values').fill('1\n2')
  await page.getByRole('button', { name: 'Create the procedure' }).click()
  await page.getByRole('heading', { name: 'Repair job', level: 1 }).waitFor()
  expectThat((await readStates()).join() === 'OPEN,DONE', `its states are ${await readStates()}`)

  await call('POST', '/procedure/repair_job/process', { data: { urgency: 2 } })
  await page.getByRole('link', { name: 'Change' }).click()
  await settled(page)
  const dialog = page.getByRole('dialog', { name: 'What saving would do' })
  await page.getByRole('button', { name: 'Remove State Open' }).click()
  await page.getByRole('button', { name: 'See what it would do' }).click()
  await dialog.getByText('1 process is in it').waitFor()
  expectThat(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), 'what is refused can be saved')
  await dialog.getByRole('button', { name: 'Back' }).click()

  await page.reload()
  await settled(page)
  await page.getByRole('button', { name: 'Add a state' }).click()
  await page.getByRole('group', { name: 'State 3' }).getByLabel('Name', { exact: true }).fill('On hold')
  await page.getByRole('button', { name: 'Move State On hold up' }).click()
  await urgency.getByLabel('Values').fill('1\n3')
  await urgency.getByLabel('Indexed').check()
  await page.getByRole('button', { name: 'See what it would do' }).click()
  await dialog.getByText('ON_HOLD is added').waitFor()
  await dialog.getByText('its index is built over 1 process').waitFor()
  await dialog.getByText('1 of 1 values do not fit').waitFor()
  expectThat((await readStates()).join() === 'OPEN,DONE', 'it was saved before it was to be')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Repair job', level: 1 }).waitFor()
  await page.getByRole('list', { name: 'States' }).getByText('ON_HOLD').waitFor()
  expectThat((await readStates()).join() === 'OPEN,ON_HOLD,DONE', `its states are ${await readStates()}`)
  console.log(
    'a procedure was made, its change seen before it was saved, and one that a process is in the way of refused',
  )
  await checkTwoEditors(page, call)
}

type ApiCall = (method: string, address: string, body?: unknown) => Promise<Record<string, unknown>>

/** Unsaved changes are asked about before they are left; of two who change one definition, the later one sees both versions and loses neither. */
async function checkTwoEditors(page: Page, call: ApiCall): Promise<void> {
  await open(page, '/procedure/repair_job/edit')
  await page.getByLabel('Name of the procedure').fill('Repair of mine')
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  for (const leave of ['Cancel', 'Users']) {
    await (leave === 'Cancel'
      ? page.getByRole('button', { name: leave })
      : page.getByRole('link', { name: leave })
    ).click()
    await question.getByRole('button', { name: 'Stay' }).click()
    await question.waitFor({ state: 'detached' })
  }
  const {
    id: _id,
    shortId: _shortId,
    createdAt: _at,
    updatedAt: _then,
    ...theirs
  } = await call('GET', '/procedure/repair_job')
  const attributes = (theirs.attributes as object[]).map(each => ({ ...each, indexReady: undefined }))
  const added = { shortId: 'colour', name: 'Colour', type: 'string' }
  await call('PUT', '/procedure/repair_job', { ...theirs, attributes: [...attributes, added] })
  await page.getByRole('button', { name: 'See what it would do' }).click()
  const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this definition' })
  await conflict.getByRole('row', { name: 'Attribute colour' }).waitFor()
  await conflict.getByRole('row', { name: 'Name' }).getByText('Repair of mine').waitFor()
  await conflict.getByRole('button', { name: 'Put mine on theirs' }).click()
  await page.getByRole('group', { name: 'Attribute Colour' }).waitFor()
  await page.getByRole('button', { name: 'See what it would do' }).click()
  await page.getByRole('dialog', { name: 'What saving would do' }).getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Repair of mine', level: 1 }).waitFor()
  const saved = await call('GET', '/procedure/repair_job')
  const names = (saved.attributes as { shortId: string }[]).map(({ shortId }) => shortId)
  expectThat(saved.name === 'Repair of mine' && names.includes('colour'), `saved: ${saved.name}, ${names}`)
  console.log('unsaved changes are asked about, and two who change one definition lose nothing')
}
