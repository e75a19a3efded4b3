import type { BackgroundJobEntry } from 'caseworker'
import { expect, it } from 'vitest'
import { deedOf } from '../../src/admin/background-job/deed.ts'

const entry = (apiType: string, apiData: object) => ({ data: { apiType, apiData } }) as BackgroundJobEntry

it('a job says what it does: which fields of which processes', () => {
  const update = { data: { city: 'Oslo', score: 1 }, state: 'WON', assignee: 'meera', record: { id: 'x' } }
  expect(deedOf(entry('PROCESS_UPDATE', { processUpdate: { state: 'WON' } }), 'Enquiry')).toBe(
    'Change state of processes of Enquiry',
  )
  expect(deedOf(entry('PROCESS_UPDATE', { processUpdate: update }), 'Enquiry')).toBe(
    'Change state, assignee, city, 2 more of processes of Enquiry',
  )
  expect(deedOf(entry('PROCESS_CREATE', { processCreate: {} }), undefined)).toBe('Create processes')
  expect(deedOf(entry('PROCESS_DELETE', { processId: 'x' }), 'Enquiry')).toBe('Delete processes of Enquiry')
  expect(deedOf(entry('TEMPLATE_MESSAGE', { templateName: 'win_back' }), 'Enquiry')).toBe(
    'Send win_back for processes of Enquiry',
  )
})
