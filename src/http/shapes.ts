import { z } from 'zod'

/** What answers are made of: what stands in them, as opposed to what a caller may send. */
export const Id = z.string().meta({ format: 'uuid' })
export const Time = z.int().meta({ description: 'Epoch milliseconds.' })
