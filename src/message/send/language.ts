import { AppError, type ErrorCode, type Fault } from '../../errors.ts'
import type { Template } from '../../plugin/template/model.ts'
import { createHint } from '../../suggest.ts'

const NAME = '/body/templateName'
const LANGUAGE = '/body/language'

/** How a request names a template. */
interface RequestedTemplate {
  name: string
  language: string | undefined
  /** The plugin's: where no language is named, and the template exists in several. */
  defaultLanguage: string | null
}

/**
 * The one template meant, of those with the name: in the language asked for, or in the only one there is. That it is not
 * there, or not approved, is the moment's fault to a job, and the request's to a single message.
 */
export function chooseTemplate(
  found: Template[],
  { name, language, defaultLanguage }: RequestedTemplate,
  known: string[],
  missing: ErrorCode = 'invalid_request',
): Template {
  if (found.length === 0)
    throw new AppError(missing, [
      {
        message: `there is no template ${JSON.stringify(name)} among those last synced`,
        path: NAME,
        ...(known.length === 0 ? { hint: 'sync the templates of the plugin first' } : createHint(name, known)),
      },
    ])
  const languages = found.map(each => each.language)
  const byDefault = language ?? (found.length > 1 ? (defaultLanguage ?? undefined) : undefined)
  const candidates = byDefault === undefined ? found : inLanguage(found, byDefault)
  const [chosen, ...others] = candidates
  if (chosen && others.length === 0) return approved(chosen, missing)
  const list = languages.join(', ')
  const message =
    byDefault === undefined
      ? `the template ${name} exists in several languages: name one of ${list} as "language"`
      : `the template ${name} does not exist in ${JSON.stringify(byDefault)}, but in ${list}`
  const hint = byDefault === undefined ? {} : createHint(byDefault, languages)
  throw new AppError(missing, [{ message, path: LANGUAGE, ...hint, detail: { languages } }])
}

/** `en` is also the only language that begins so: `en_US`. */
function inLanguage(found: readonly Template[], language: string): Template[] {
  const exact = found.filter(each => each.language === language)
  if (exact.length > 0) return exact
  const regional = found.filter(each => each.language.startsWith(`${language}_`))
  return regional.length === 1 ? regional : []
}

function approved(template: Template, code: ErrorCode): Template {
  if (template.status === 'APPROVED') return template
  const { name, language, status, statusReason } = template
  const fault: Fault = {
    message: `the template ${name} (${language}) can't be sent: it is ${status}, not APPROVED`,
    path: NAME,
    detail: { status, ...(statusReason === null ? {} : { statusReason }) },
  }
  throw new AppError(code, [fault])
}
