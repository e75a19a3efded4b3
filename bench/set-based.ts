// Bare statements that write the rows of many processes, from one JSON text.

/** In one statement: as many as a step of a job takes (`JOB_CHUNK_ENTRIES` in wrangler.toml). */
export const CHUNK_ENTRIES = 800

export const CREATE_MANY = `INSERT INTO process (rid, id, proc, team, status, state, updated_at, primary_key, s1, s2, data)
  SELECT value ->> '$.rid', value ->> '$.id', ?2, 1, 3, 'NEW', ?3, value ->> '$.data.lead_id', value ->> '$.data.city',
    value ->> '$.data.score', jsonb(value -> '$.data') FROM json_each(?1)`
export const UPDATE_MANY = `UPDATE process SET data = jsonb_set(data, '$."city"', item.value -> '$.city', '$."score"', item.value -> '$.score'),
    s1 = item.value ->> '$.city', s2 = item.value ->> '$.score', version = version + 1, updated_at = ?3
  FROM json_each(?1) item WHERE process.rid = item.value ->> '$.rid' AND +process.proc = ?2`
