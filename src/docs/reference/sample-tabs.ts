import { codeBlock } from '../markup/code.ts'
import { samplesOf } from '../samples/samples.ts'
import type { Documented } from './operation.ts'

/** The request in each language. The tabs are radio buttons, so that they change without a script. */
export function sampleTabs(documented: Documented, origin: string): string {
  const samples = samplesOf(documented, origin)
  const tabs = samples.map(({ label }, nth) => {
    const id = `sample-${nth + 1}`
    return `<input type="radio" name="sample" id="${id}" value="${label}"${nth === 0 ? ' checked' : ''}><label for="${id}">${label}</label>`
  })
  const panels = samples.map(
    ({ label, language, code }) =>
      `<div class="panel" data-label="${label}" data-language="${language}">${codeBlock(code, language, undefined, `Request, ${label}`)}</div>`,
  )
  return `<section class="tabs" aria-label="Request"><fieldset><legend>Request</legend>${tabs.join('')}</fieldset>${panels.join('')}</section>`
}
