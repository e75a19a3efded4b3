import type { Given, Options } from '../command/command.ts'
import { listOption, pairIn, textOption } from '../command/options.ts'

/** The options that fill a template. */
export const TEMPLATE_OPTIONS = {
  language: { value: 'code', summary: 'of the template, if it exists in several' },
  header: { value: 'name=value', summary: 'a parameter of the header', multiple: true },
  button: { value: 'name=value', summary: 'a parameter of a button', multiple: true },
  image: { value: 'address', summary: 'the image of the header' },
  video: { value: 'address', summary: 'the video of the header' },
  document: { value: 'address', summary: 'the document of the header' },
  filename: { value: 'name', summary: 'the name of the document' },
  otp: { value: 'code', summary: 'the one-time password' },
} as const satisfies Options

const FIELDS = {
  language: 'language',
  imageUrl: 'image',
  videoUrl: 'video',
  documentUrl: 'document',
  filename: 'filename',
  otpCode: 'otp',
} as const

interface Parameter {
  schemaPropertyName: string
  schemaPropertyValue: string
}

const parametersIn = (words: readonly string[]): Parameter[] =>
  words.map(word => {
    const [schemaPropertyName, schemaPropertyValue] = pairIn(word)
    return { schemaPropertyName, schemaPropertyValue }
  })

/** The body of a message: the template, and the values of its parameters. */
export function templateBody(given: Given, template: string, values: readonly string[], sender: string) {
  const fields = Object.entries(FIELDS).flatMap(([field, option]) => {
    const value = textOption(given, option)
    return value === undefined ? [] : [[field, value]]
  })
  return {
    whatsappPhoneNumberId: sender,
    templateName: template,
    mapping: parametersIn(values),
    headerMapping: parametersIn(listOption(given, 'header')),
    buttonMapping: parametersIn(listOption(given, 'button')),
    ...(Object.fromEntries(fields) as { [Field in keyof typeof FIELDS]?: string }),
  }
}
