import { customType } from 'drizzle-orm/sqlite-core'

/** A column without affinity: it holds numbers and text unchanged, so that 105 and "105" stay two values. */
export const untyped = customType<{ data: string | number | null }>({ dataType: () => 'blob' })

/** A JSON document in SQLite's binary form. It is written with `jsonb(…)`, read with `json(…)`, and never selected raw. */
export const jsonb = customType<{ data: never }>({ dataType: () => 'blob' })
