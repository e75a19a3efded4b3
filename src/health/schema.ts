import * as z from 'zod'

const Status = z.enum(['ok', 'failing']).describe('`failing` if a check fails.')

const Figure = z.union([z.number(), z.string(), z.null()])

export const Check = z.object({
  status: Status,
  reason: z.string().optional().meta({ description: 'Of a check that fails: why.' }),
  figures: z.record(z.string(), Figure).optional().meta({ description: 'What was measured.' }),
})
export type Check = z.infer<typeof Check>

export const Health = z.object({
  status: Status,
  version: z.string().describe('The version of Caseworker.'),
  deployment: z.string().optional().meta({ description: 'With `deep`: the id of the deployed version.' }),
  paused: z.boolean().optional().meta({ description: 'With `deep`: whether an operator has paused the service.' }),
  examinedAt: z
    .int()
    .optional()
    .meta({ description: 'With `deep`: when the parts were examined. A result stands for 30 seconds.' }),
  checks: z.record(z.string(), Check).optional().meta({ description: 'With `deep`: each part by itself.' }),
})
export type Health = z.infer<typeof Health>

export const HealthQuery = z.object({
  deep: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Examine each part. Needs the token of the operator, `OPERATOR_TOKEN`.', examples: ['true'] }),
})
