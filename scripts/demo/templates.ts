const body = (text: string, ...examples: string[]) => ({
  type: 'BODY',
  text,
  ...(examples.length > 0 ? { example: { body_text: [examples] } } : {}),
})
const image = {
  type: 'HEADER',
  format: 'IMAGE',
  example: { header_handle: ['https://scontent.whatsapp.net/example.image'] },
}
const quickReplies = (...texts: string[]) => ({
  type: 'BUTTONS',
  buttons: texts.map(text => ({ type: 'QUICK_REPLY', text })),
})

/** The templates of the company, besides those that the emulated account has anyway. */
export const TEMPLATES = [
  {
    name: 'offer_ready',
    components: [
      image,
      body('Hello {{1}}, your offer for {{2}} is ready.', 'Asha', 'a roof of 5 kW'),
      { type: 'FOOTER', text: 'Valid for 30 days' },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            text: 'See the offer',
            url: 'https://example.com/offers/{{1}}',
            example: ['https://example.com/offers/ENQ-10001'],
          },
          { type: 'QUICK_REPLY', text: 'Call me' },
        ],
      },
    ],
  },
  {
    name: 'visit_tomorrow',
    components: [
      body('Hello {{1}}, we visit you tomorrow in the {{2}}.', 'Asha', 'morning'),
      quickReplies('That suits me', 'Another day'),
    ],
  },
  {
    name: 'rate_us',
    components: [body('Hello {{1}}, is all well with your roof again?', 'Asha'), quickReplies('Yes', 'Not quite')],
  },
  {
    name: 'win_back',
    category: 'MARKETING',
    components: [
      body('Hello {{1}}, panels cost a tenth less this month. Shall we make you a new offer?', 'Asha'),
      { type: 'FOOTER', text: 'Reply STOP to unsubscribe' },
      quickReplies('Yes, please', 'No, thanks'),
    ],
  },
  { name: 'offer_ready_text', language: 'hi', components: [body('नमस्ते {{1}}, आपका प्रस्ताव तैयार है।', 'Asha')] },
]
