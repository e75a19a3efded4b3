/** Meta's error codes: their HTTP status and title. The status is of little use to a client: rate limits are 400 as well. */
const CODES: Record<number, readonly [status: number, title: string]> = {
  0: [401, 'AuthException'],
  1: [400, 'An unknown error occurred'],
  2: [503, 'Service temporarily unavailable'],
  3: [500, 'Application does not have the capability to make this API call'],
  4: [400, 'Application request limit reached'],
  10: [403, 'Application does not have permission for this action'],
  33: [400, 'Parameter value is not valid'],
  100: [400, 'Invalid parameter'],
  190: [401, 'Invalid OAuth access token - Cannot parse access token'],
  200: [403, 'Permissions error'],
  299: [403, 'Permissions error'],
  368: [403, 'Temporarily blocked for policies violations'],
  613: [400, 'Calls to this api have exceeded the rate limit'],
  80007: [400, 'Rate limit issues'],
  130429: [400, 'Rate limit hit'],
  130472: [400, "User's number is part of an experiment"],
  130497: [403, 'Business account is restricted from messaging users in this country'],
  131000: [500, 'Something went wrong'],
  131005: [403, 'Access denied'],
  131008: [400, 'Required parameter is missing'],
  131009: [400, 'Parameter value is not valid'],
  131016: [500, 'Service unavailable'],
  131021: [400, 'Recipient cannot be sender'],
  131026: [400, 'Message undeliverable'],
  131030: [400, 'Recipient phone number not in allowed list'],
  131031: [403, 'Account has been locked'],
  131037: [400, 'WhatsApp provided number needs display name approval before message can be sent'],
  131042: [400, 'Business eligibility payment issue'],
  131045: [500, 'Incorrect certificate'],
  131047: [400, 'Re-engagement message'],
  131048: [400, 'Spam rate limit hit'],
  131049: [400, 'This message was not delivered to maintain healthy ecosystem engagement'],
  131050: [400, 'Unable to deliver the message. This recipient has chosen to stop receiving marketing messages'],
  131051: [400, 'Unsupported message type'],
  131052: [400, 'Media download error'],
  131053: [400, 'Media upload error'],
  131056: [400, '(Business Account, Consumer Account) pair rate limit hit'],
  131057: [500, 'Account in maintenance mode'],
  132000: [400, 'Number of parameters does not match the expected number of params'],
  132001: [404, 'Template name does not exist in the translation'],
  132005: [400, 'Translated text too long'],
  132007: [400, 'Template format character policy violated'],
  132012: [400, 'Parameter format does not match format in the created template'],
  132015: [400, 'Template is paused'],
  132016: [400, 'Template is disabled'],
  132018: [400, 'Template parameter validation failed'],
  132068: [400, 'Flow is blocked'],
  132069: [400, 'Flow is throttled'],
  133004: [503, 'Server temporarily unavailable'],
  133010: [400, 'Phone number not registered'],
  134101: [400, 'Template is syncing'],
  134102: [400, 'Template is unavailable'],
  135000: [400, 'Generic user error'],
}
/** The codes of temporary errors. */
const TRANSIENT = new Set([1, 2, 4, 613, 80007, 130429, 131000, 131016, 131056, 131057, 133004])
const DOCS = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/'
const TRACE_BYTES = 12
/** Under code 100: the id in the path stands for nothing that this token may see. */
const UNKNOWN_OBJECT = 33

/** A refusal, before it is written as Meta writes it. */
export interface Refusal {
  code: number
  details: string
  subcode?: number
}

export const refusal = (code: number, details: string): Refusal => ({ code, details })

export const unknownObject = (id: string): Refusal => ({
  code: 100,
  subcode: UNKNOWN_OBJECT,
  details: `Unsupported request. Object with ID '${id}' does not exist or cannot be loaded due to missing permissions`,
})

export const isKnownCode = (code: number): boolean => code in CODES

export const getStatus = (code: number): number => CODES[code]?.[0] ?? 400

const getTitle = (code: number): string => CODES[code]?.[1] ?? 'Unknown error'

export const traceId = (): string =>
  `A${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(TRACE_BYTES)))).replace(/[+/=]/g, '_')}`

/** The object that Graph answers with. `details` is what tells one cause of a code from another. */
export const graphError = ({ code, details, subcode }: Refusal) => ({
  error: {
    message: code === 190 ? getTitle(code) : subcode === UNKNOWN_OBJECT ? details : `(#${code}) ${getTitle(code)}`,
    type: subcode === UNKNOWN_OBJECT ? 'GraphMethodException' : 'OAuthException',
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
    is_transient: TRANSIENT.has(code),
    error_data: { messaging_product: 'whatsapp', details },
    fbtrace_id: traceId(),
  },
})

/** The same refusal, as a status webhook of a message that was accepted and then failed. */
export const webhookError = ({ code, details }: Refusal) => ({
  code,
  title: getTitle(code),
  message: getTitle(code),
  error_data: { details },
  href: DOCS,
})
