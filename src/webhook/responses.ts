import { type SQL, sql } from 'drizzle-orm'

/** What is sent of an event is read before it is sent: so long after an erasure an answer may still be to what was before. */
export const ANSWER_MS_MAX = 60_000

/** A list of attempts without the answers of receivers, which may repeat what they were sent, up to a time. */
export const withoutResponses = (attempts: SQL, erasedAt: SQL | number): SQL =>
  sql`(SELECT jsonb_group_array(jsonb(iif(attempt.value ->> '$.at' > ${erasedAt} + ${sql.raw(String(ANSWER_MS_MAX))},
    attempt.value, json_remove(attempt.value, '$.response')))) FROM json_each(${attempts}) attempt)`
