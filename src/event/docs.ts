import type * as z from 'zod'
import type { EventAuthor } from './author.ts'
import type { NounEvents } from './noun-events.ts'

/** The reference's description of a type, and an example of it. */
export interface EventDocs<Data extends object = object> {
  description: string
  sequence: number
  data: Data
  by: EventAuthor
}

export type DocsByType<Events extends Pick<NounEvents, 'data'>> = {
  [Type in keyof Events['data']]: EventDocs<z.infer<Events['data'][Type]>>
}

export const NOBODY_EXAMPLE: EventAuthor = {
  user: null,
  apiKey: null,
  session: null,
  request: null,
  job: null,
  entry: null,
}
export const CALLER_EXAMPLE: EventAuthor = {
  ...NOBODY_EXAMPLE,
  user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  apiKey: '01935c1e-5a00-7002-a1b2-c3d4e5f60718',
  request: '5d0f6c1e-0f5b-4a0e-9d5e-2a4f5b6c7d8e',
}
