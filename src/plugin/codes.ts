import * as z from 'zod'

/**
 * The consequence of a refusal. `retry`: the same message may go through later. `stop-entry`: this message never will,
 * others may. `stop-sender`: none will from this phone number until somebody has looked into it, but from others they may.
 * `stop-plugin`: none will from any number until somebody has looked into the account.
 */
type CodeClass = 'retry' | 'stop-entry' | 'stop-sender' | 'stop-plugin'

interface CodeEntry {
  class: CodeClass
  title: string
  advice: string
  /** The shortest wait before another attempt, if the provider names one. */
  waitSeconds?: number
  /** The new status of the template. Sends with it are refused beforehand, until it is synced again. */
  template?: 'PAUSED' | 'DISABLED'
}

const retry = (title: string, advice: string, waitSeconds: number): CodeEntry => ({
  class: 'retry',
  title,
  advice,
  waitSeconds,
})
const entry = (title: string, advice: string, template?: 'PAUSED' | 'DISABLED'): CodeEntry => ({
  class: 'stop-entry',
  title,
  advice,
  ...(template === undefined ? {} : { template }),
})
const sender = (title: string, advice: string): CodeEntry => ({ class: 'stop-sender', title, advice })
const plugin = (title: string, advice: string): CodeEntry => ({ class: 'stop-plugin', title, advice })

const AGAIN = 'nothing is wrong with the message; send it again after a while, waiting longer each time'
const LATER = 'do not send this message to this customer again today: more attempts make it less likely to arrive'
const NEW_TOKEN = "put a valid access token into the plugin, made for a system user so that it doesn't expire"
const PERMIT = 'give the access token the permissions whatsapp_business_messaging and whatsapp_business_management'
const SYNC = 'sync the templates of the plugin and compare the request with what the template wants'
const QUALITY = "the provider limits the account for its quality: see the account's quality rating, and wait"
const BUSINESS = 'see the business account with the provider; it says what has to be done'

/** The provider's codes. An unknown code ends the one message. */
export const PROVIDER_CODES: Readonly<Record<number, CodeEntry>> = {
  0: plugin('The access token could not be verified', NEW_TOKEN),
  1: retry('The provider failed for an unknown reason', AGAIN, 10),
  2: retry('The provider is temporarily unavailable', AGAIN, 10),
  3: plugin('The app may not make this call', PERMIT),
  4: retry('The app has called the provider too often', AGAIN, 60),
  10: plugin('The app lacks a permission', PERMIT),
  33: sender('The sender phone number is gone', "correct the plugin's phone numbers and its access token's rights"),
  100: entry('A parameter is invalid', 'correct the request; `details` names the parameter'),
  190: plugin('The access token has expired or is invalid', NEW_TOKEN),
  368: plugin('The account is blocked for violating policies', BUSINESS),
  613: retry('Calls to the provider exceed the rate limit', AGAIN, 60),
  80007: retry('The business account has reached its rate limit', AGAIN, 60),
  130429: retry("The sender's throughput is reached", 'send more slowly from this number', 1),
  130472: entry('The provider did not deliver, for an experiment', LATER),
  // The restriction is about the customer's country. To others the plugin goes on sending.
  130497: entry("The account may not message customers in this customer's country", BUSINESS),
  131000: retry('Something went wrong at the provider', AGAIN, 10),
  131005: plugin('Access is denied', PERMIT),
  131008: entry('A required parameter is missing', SYNC),
  131009: entry('The value of a parameter is not valid', SYNC),
  131016: retry('The provider is temporarily overloaded', AGAIN, 10),
  131021: entry('Sender and recipient are the same number', 'send to another number than the one it is sent from'),
  131026: entry('The message is undeliverable', 'the number may not be on WhatsApp; reach the customer another way'),
  131030: entry('The recipient is not among the test numbers', 'add the number with the provider, or leave test mode'),
  131031: plugin('The account is locked', BUSINESS),
  131037: sender("The sender's display name is not approved", 'have the display name approved with the provider'),
  131042: plugin('There is a problem with the payment method', 'fix the payment method of the business account'),
  131045: sender('The sender phone number is not registered', 'register the phone number with the provider'),
  131047: entry(
    'More than 24 hours have passed since the customer last wrote',
    'send a template message: free messages need a message of the customer within 24 hours',
  ),
  131048: plugin('The account sends too much that is reported as spam', QUALITY),
  131049: entry('The provider chose not to deliver, to keep engagement healthy', LATER),
  131050: entry(
    'The customer does not want marketing messages',
    'take the number off your lists: until it is removed from your opt-outs, no message is sent to it',
  ),
  131051: entry('The provider does not know this type of message', 'send a type of message that it knows'),
  131052: entry('The media could not be fetched', 'make sure that the address is public and its file type allowed'),
  131053: entry('The media could not be taken over', 'make sure that file type and size are allowed'),
  131056: retry('Too many messages to this customer in a short time', 'wait before writing to this customer again', 4),
  131057: retry('The account is under maintenance', AGAIN, 60),
  132000: entry('The number of parameters does not match the template', SYNC),
  132001: entry('The template does not exist in this language, or is not approved', SYNC),
  132005: entry('The filled template is too long', 'shorten the values'),
  132007: entry('The content violates the policy on characters', 'change the text of the template or the values'),
  132012: entry('The format of a parameter does not match the template', SYNC),
  132015: entry(
    'The template is paused for low quality',
    'improve the template, or wait until it is resumed',
    'PAUSED',
  ),
  132016: entry('The template is disabled for low quality', 'make another template', 'DISABLED'),
  132018: entry('A parameter of the template is not valid', SYNC),
  132068: entry('The flow is blocked', 'fix the flow with the provider'),
  132069: retry('The flow is throttled', AGAIN, 600),
  133004: retry('The provider is temporarily unavailable', AGAIN, 10),
  133010: sender('The sender phone number is not registered', 'register the phone number with the provider'),
  134101: retry('The template is being synced at the provider', AGAIN, 60),
  134102: retry('The template is not available yet', AGAIN, 600),
  135000: entry('The provider could not send the message', 'compare the request with what the template wants'),
}

const PERMISSION_CODES = { first: 200, last: 299 }
const PERMISSION = plugin('The app lacks a permission', PERMIT)
const UNKNOWN = entry('The provider refused the message', 'see what the provider says about this code')
/** The subcode of code 100 that the object in the address does not exist, or not for this token. */
const GONE = { subcode: 33, code: 33 }

const getCodeEntry = (code: number): CodeEntry =>
  PROVIDER_CODES[code] ?? (code >= PERMISSION_CODES.first && code <= PERMISSION_CODES.last ? PERMISSION : UNKNOWN)

/** The codes that are resolved once the provider answers a call. */
const AUTHORISATION = [0, 3, 10, 190, 131005]
export const isClearedByAnswer = (code: number): boolean =>
  AUTHORISATION.includes(code) || getCodeEntry(code) === PERMISSION

/** The codes that a number, or the account, sends too much altogether. */
const TOO_MUCH = [4, 613, 80007, 130429]
export const slowsSender = (error: ProviderError): boolean => TOO_MUCH.includes(error.code)

/** A refusal and its meaning, as it is stored with a message and returned. */
export interface ProviderError extends CodeEntry {
  code: number
  details: string
}

const Fault = z.object({
  code: z.int(),
  error_subcode: z.int().optional(),
  message: z.string().default(''),
  title: z.string().optional(),
  error_data: z.object({ details: z.string().default('') }).optional(),
})

/** Parses one error as the provider writes it, in an answer or in a report. */
export function toProviderError(fault: unknown): ProviderError | undefined {
  const { data } = Fault.safeParse(fault)
  if (!data) return undefined
  const code = data.code === 100 && data.error_subcode === GONE.subcode ? GONE.code : data.code
  return { code, details: data.error_data?.details || data.message, ...getCodeEntry(code) }
}

/** Formats the status message of a stopped plugin or phone number. */
export const formatStopMessage = ({ code, title, advice }: ProviderError): string => `(${code}) ${title}; ${advice}`

export const readProviderError = (json: unknown): ProviderError | undefined =>
  typeof json === 'object' && json !== null && 'error' in json ? toProviderError(json.error) : undefined

/** The code of a customer who asked not to receive messages. */
const OPT_OUT_CODE = 131050
export const isOptOut = (error: ProviderError | undefined): boolean => error?.code === OPT_OUT_CODE
