/** One component of a template's definition, as in the list. */
export interface Definition {
  type: string
  format?: string
  text?: string
  buttons?: Button[]
  cards?: { components: Definition[] }[]
  [more: string]: unknown
}

export interface Button {
  type: string
  text?: string
  url?: string
  [more: string]: unknown
}

export interface Template {
  id: string
  name: string
  language: string
  category: string
  status: string
  parameter_format: string
  components: Definition[]
  [more: string]: unknown
}

const FIRST_ID = 300_000_000_000_001

type Sketch = Partial<Template> & { name: string; components: Definition[] }

const body = (text: string, ...examples: string[]): Definition => ({
  type: 'BODY',
  text,
  ...(examples.length > 0 ? { example: { body_text: [examples] } } : {}),
})
const media = (format: string): Definition => ({
  type: 'HEADER',
  format,
  example: { header_handle: [`https://scontent.whatsapp.net/example.${format.toLowerCase()}`] },
})
const footer: Definition = { type: 'FOOTER', text: 'Reply STOP to unsubscribe' }
const buttons = (...list: Button[]): Definition => ({ type: 'BUTTONS', buttons: list })
const tracking: Button = {
  type: 'URL',
  text: 'Track',
  url: 'https://example.com/track/{{1}}',
  example: ['https://example.com/track/A17'],
}
const card: { components: Definition[] } = {
  components: [
    media('IMAGE'),
    body('Only {{1}}', '€ 5'),
    buttons({ type: 'QUICK_REPLY', text: 'I want it' }, tracking),
  ],
}

/** At least one template for each kind of component, parameter and status. */
const SKETCHES: Sketch[] = [
  { name: 'hello_world', components: [body('Welcome! This message was sent by a test account.'), footer] },
  { name: 'order_update', components: [body('Hi {{1}}, order {{2}} is on its way.', 'Mark', 'A17'), footer] },
  { name: 'order_update', language: 'de', components: [body('Hallo {{1}}, {{2}} ist unterwegs.', 'Mark', 'A17')] },
  { name: 'order_update', language: 'hi', components: [body('{{1}}, ऑर्डर {{2}} रास्ते में है।', 'Mark', 'A17')] },
  {
    name: 'appointment_reminder',
    parameter_format: 'NAMED',
    components: [
      {
        type: 'HEADER',
        format: 'TEXT',
        text: 'For {{customer_name}}',
        example: { header_text_named_params: [{ param_name: 'customer_name', example: 'Mark' }] },
      },
      {
        type: 'BODY',
        text: 'See you on {{visit_day}} at {{visit_time}}.',
        example: {
          body_text_named_params: [
            { param_name: 'visit_day', example: 'Monday' },
            { param_name: 'visit_time', example: '10:00' },
          ],
        },
      },
    ],
  },
  {
    name: 'ticket_opened',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Ticket {{1}}', example: { header_text: ['17'] } },
      body('We are looking into it, {{1}}.', 'Mark'),
    ],
  },
  { name: 'image_offer', category: 'MARKETING', components: [media('IMAGE'), body('For you, {{1}}!', 'Mark'), footer] },
  { name: 'video_guide', components: [media('VIDEO'), body('How to set it up.')] },
  { name: 'invoice', components: [media('DOCUMENT'), body('Invoice {{1}} is attached.', 'R-17')] },
  {
    name: 'shop_nearby',
    components: [{ type: 'HEADER', format: 'LOCATION' }, body('Our shop near you, {{1}}.', 'Mark')],
  },
  {
    name: 'parcel_choices',
    components: [
      body('Your parcel {{1}} is here.', 'A17'),
      buttons({ type: 'QUICK_REPLY', text: 'Thanks' }, tracking, {
        type: 'PHONE_NUMBER',
        text: 'Call us',
        phone_number: '+15550000001',
      }),
    ],
  },
  {
    name: 'price_list',
    components: [body('Our prices.'), buttons({ type: 'URL', text: 'Open', url: 'https://example.com/' })],
  },
  {
    name: 'verification_code',
    category: 'AUTHENTICATION',
    components: [
      { type: 'BODY', text: '*{{1}}* is your verification code.', add_security_recommendation: true },
      { type: 'FOOTER', text: 'This code expires in 5 minutes.', code_expiration_minutes: 5 },
      buttons({ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }),
    ],
  },
  {
    name: 'coupon',
    category: 'MARKETING',
    components: [
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Today only', has_expiration: true } },
      body('{{1}} off everything.', '20%'),
      buttons({ type: 'COPY_CODE', text: 'Copy offer code', example: ['SAVE20'] }),
    ],
  },
  { name: 'survey', components: [body('Two questions.'), buttons({ type: 'FLOW', text: 'Begin', flow_id: '17' })] },
  {
    name: 'product_cards',
    category: 'MARKETING',
    components: [body('For you, {{1}}:', 'Mark'), { type: 'CAROUSEL', cards: [card, card] }],
  },
  { name: 'paused_offer', category: 'MARKETING', status: 'PAUSED', components: [body('Hi {{1}}.', 'Mark')] },
  { name: 'disabled_offer', category: 'MARKETING', status: 'DISABLED', components: [body('Hi {{1}}.', 'Mark')] },
  {
    name: 'rejected_offer',
    category: 'MARKETING',
    status: 'REJECTED',
    rejected_reason: 'INVALID_FORMAT',
    components: [body('{{1}}', 'Mark')],
  },
  { name: 'pending_offer', category: 'MARKETING', status: 'PENDING', components: [body('Hi {{1}}.', 'Mark')] },
]

export const CATALOGUE: Template[] = SKETCHES.map((sketch, index) => ({
  id: String(FIRST_ID + index),
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  parameter_format: 'POSITIONAL',
  ...sketch,
}))
