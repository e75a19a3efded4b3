import * as z from 'zod'

export const VALUE_LENGTH_MAX = 2_000
export const MAPPING_LENGTH_MAX = 100
const URL_LENGTH_MAX = 2_000
export const OTP_LENGTH_MAX = 15

export const Mapping = z.array(
  z.strictObject({
    schemaPropertyName: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'The placeholder: its number, or its name.', examples: ['1'] }),
    schemaPropertyValue: z
      .string()
      .max(VALUE_LENGTH_MAX)
      .meta({ description: 'The text that replaces the placeholder.', examples: ['Asha'] }),
  }),
)
export type Mapping = z.output<typeof Mapping>

/** What each list of values fills. */
export const MAPPED = {
  mapping: 'The values of the placeholders in the body of the template.',
  headerMapping: 'The values of the placeholders in the header.',
  buttonMapping: 'The values of the placeholders in the addresses of buttons.',
}
const Values = Mapping.max(MAPPING_LENGTH_MAX).default([])
const WebAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(URL_LENGTH_MAX)

const OF_DEGREES = { error: 'must be a number of degrees' }
const Degrees = (max: number) =>
  z
    .union([z.number(), z.string().regex(/^-?\d{1,3}(\.\d+)?$/, OF_DEGREES)], OF_DEGREES)
    .transform(Number)
    .refine(value => Math.abs(value) <= max, { error: `must be from -${max} to ${max} degrees` })

export const SendTemplate = z.strictObject({
  whatsappPhoneNumberId: z
    .string()
    .min(1)
    .max(32)
    .meta({
      description: "The provider's id of the sending phone number, as the plugin lists it.",
      examples: ['200000000000001'],
    }),
  templateName: z
    .string()
    .min(1)
    .max(512)
    .meta({ description: 'The name of an approved template.', examples: ['order_update'] }),
  mapping: Values.describe(MAPPED.mapping),
  headerMapping: Values.describe(MAPPED.headerMapping),
  buttonMapping: Values.describe(MAPPED.buttonMapping),
  language: z
    .string()
    .min(2)
    .max(20)
    .optional()
    .meta({
      description:
        'The language of the template. It may be left out if the template exists in one language, or the plugin has a default.',
      examples: ['en_US'],
    }),
  imageUrl: WebAddress.optional().meta({
    description: 'The image of the header, if the template has one.',
    examples: ['https://acme.example/offer.png'],
  }),
  videoUrl: WebAddress.optional().meta({
    description: 'The video of the header, if the template has one.',
    examples: ['https://acme.example/offer.mp4'],
  }),
  documentUrl: WebAddress.optional().meta({
    description: 'The document of the header, if the template has one.',
    examples: ['https://acme.example/offer.pdf'],
  }),
  filename: z
    .string()
    .min(1)
    .max(240)
    .optional()
    .meta({ description: 'The name of the document, as the customer sees it.', examples: ['offer.pdf'] }),
  otpCode: z
    .string()
    .min(1)
    .max(OTP_LENGTH_MAX)
    .optional()
    .meta({ description: 'The one-time code of an authentication template.', examples: ['482913'] }),
  locationLatitude: Degrees(90)
    .optional()
    .meta({ description: 'The location of the header, if the template has one.', examples: [18.52] }),
  locationLongitude: Degrees(180)
    .optional()
    .meta({ description: 'The location of the header, if the template has one.', examples: [73.85] }),
  locationName: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: 'The name of the place.', examples: ['Acme, Pune'] }),
  locationAddress: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: 'The address of the place.', examples: ['12 FC Road, Pune'] }),
})
export type SendTemplate = z.output<typeof SendTemplate>
