// Bare statements that write the rows of many processes, from one JSON text.

/**
 * The entries of one statement, the same as those of a job's step (`chunkEntries` in src/background-job/settings.ts).
 */
export const CHUNK_ENTRIES = 800

/** The number of the last event of team 1. */
export const LAST_EVENT = 'coalesce((SELECT max(sequence) FROM event WHERE team = 1), 0)'
const EVENT = 'INSERT INTO event (team, sequence, count, at, type, proc, by, after, before)'
/** The events of as many creations, in one row. `?4` is who made them, and the job. */
export const CREATED_MANY = `${EVENT} SELECT 1, ${LAST_EVENT} + count(*), count(*), ?3, 'process.created', ?2, jsonb(?4),
  jsonb_group_object(CAST(value ->> '$.rid' AS TEXT), json_object('id', value ->> '$.id', 'entry', value -> '$.entry')), NULL
  FROM json_each(?1)`
/** The events of updates, before them: with what they set, and the values that this replaces. */
const updatedMany = (
  ...names: string[]
) => `${EVENT} SELECT 1, ${LAST_EVENT} + count(*), count(*), ?3, 'process.updated', ?2,
  jsonb(?4),
  jsonb_group_object(CAST(rid AS TEXT),
    json_object('id', process.id, 'entry', item.value -> '$.entry', 'set', json_remove(item.value, '$.rid', '$.entry'))),
  jsonb_group_object(CAST(rid AS TEXT), json_array(version, last_event, updated_at, completed_at, json_object(),
    json_array(json_extract(data, ${names.map(name => `'$."${name}"'`).join(', ')}))))
  FROM json_each(?1) item CROSS JOIN process ON process.rid = item.value ->> '$.rid' AND +process.proc = ?2`
export const UPDATED_MANY = updatedMany('city', 'score')
/** An upsert sends the key, too. */
export const UPSERTED_MANY = updatedMany('city', 'score', 'lead_id')
export const CREATE_MANY = `INSERT INTO process (rid, id, proc, team, status, state, created_by, updated_at, primary_key, s1, s2, data, last_event)
  SELECT value ->> '$.rid', value ->> '$.id', ?2, 1, 3, 'NEW', ?4, ?3, value ->> '$.data.lead_id', value ->> '$.data.city',
    value ->> '$.data.score', jsonb(value -> '$.data'),
    ${LAST_EVENT} FROM json_each(?1)`
export const UPDATE_MANY = `UPDATE process SET data = jsonb_set(data, '$."city"', item.value -> '$.city', '$."score"', item.value -> '$.score'),
    s1 = item.value ->> '$.city', s2 = item.value ->> '$.score', version = version + 1, updated_at = ?3,
    last_event = ${LAST_EVENT}
  FROM json_each(?1) item WHERE process.rid = item.value ->> '$.rid' AND +process.proc = ?2`
/** Creates, or gives those that have the key other values of two attributes. */
export const UPSERT_MANY = `INSERT INTO process (rid, id, proc, team, status, state, created_by, updated_at, primary_key, s1, s2, data, last_event)
  SELECT value ->> '$.rid', value ->> '$.id', ?2, 1, 3, 'NEW', ?4, ?3, value ->> '$.data.lead_id', value ->> '$.data.city',
    value ->> '$.data.score', jsonb(value -> '$.data'), ${LAST_EVENT} FROM json_each(?1) WHERE true
  ON CONFLICT (proc, primary_key) DO UPDATE SET
    data = jsonb_set(data, '$."city"', json_quote(excluded.s1), '$."score"', excluded.s2), s1 = excluded.s1, s2 = excluded.s2,
    version = version + 1, updated_at = ?3, last_event = ${LAST_EVENT}`
