-- the newest
-- ?1 = 1, ?2 = 11, ?3 = 4, ?4 = 0
SELECT process.rid AS rid, <process> AS row
FROM process INDEXED BY process_list
WHERE process.proc = ?1
ORDER BY process.rid DESC
LIMIT json_extract(?2, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?3, '$', 'stale procedure')) OFFSET ?4;

-- the newest, next page by cursor
-- ?1 = 1, ?2 = 7168000000000000, ?3 = 11, ?4 = 4, ?5 = 0
SELECT process.rid AS rid, <process> AS row
FROM process INDEXED BY process_list
WHERE process.proc = ?1 AND process.rid < ?2
ORDER BY process.rid DESC
LIMIT json_extract(?3, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?4, '$', 'stale procedure')) OFFSET ?5;

-- the newest, skip
-- ?1 = 1, ?2 = 11, ?3 = 4, ?4 = 500
SELECT process.rid AS rid, <process> AS row
FROM process INDEXED BY process_list
WHERE process.proc = ?1
ORDER BY process.rid DESC
LIMIT json_extract(?2, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?3, '$', 'stale procedure')) OFFSET ?4;

-- created between two times
-- ?1 = 1, ?2 = 188140748800000, ?3 = 188140748820480, ?4 = 11, ?5 = 4, ?6 = 0
SELECT process.rid AS rid, <process> AS row
FROM process INDEXED BY process_list
WHERE process.proc = ?1 AND process.rid >= ?2 AND process.rid < ?3
ORDER BY process.rid DESC
LIMIT json_extract(?4, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?5, '$', 'stale procedure')) OFFSET ?6;

-- one equality
-- ?1 = 1, ?2 = "a", ?3 = 11, ?4 = 4, ?5 = 0
SELECT process.rid AS rid, <process> AS row
FROM process INDEXED BY process_s1
WHERE process.proc = ?1 AND process.s1 = ?2
ORDER BY process.rid DESC
LIMIT json_extract(?3, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?4, '$', 'stale procedure')) OFFSET ?5;

-- one equality, next page by cursor
-- ?1 = 1, ?2 = 3, ?3 = 7168000000000000, ?4 = 11, ?5 = 4, ?6 = 0
SELECT process.rid AS rid, <process> AS row
FROM process INDEXED BY process_status
WHERE process.proc = ?1 AND process.status = ?2 AND process.rid < ?3
ORDER BY process.rid DESC
LIMIT json_extract(?4, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?5, '$', 'stale procedure')) OFFSET ?6;

-- one of a few values: their index entries are merged
-- ?1 = 1, ?2 = "a", ?3 = "b", ?4 = "c", ?5 = 11, ?6 = 4, ?7 = 0
SELECT merged.rid AS rid, <process> AS row
FROM (
  SELECT rid
  FROM (
    SELECT process.rid AS rid
    FROM process INDEXED BY process_s1
    WHERE process.proc = ?1 AND process.s1 = ?2
    UNION ALL
    SELECT process.rid AS rid
    FROM process INDEXED BY process_s1
    WHERE process.proc = ?1 AND process.s1 = ?3
    UNION ALL
    SELECT process.rid AS rid
    FROM process INDEXED BY process_s1
    WHERE process.proc = ?1 AND process.s1 = ?4
    ORDER BY rid DESC
    LIMIT json_extract(?5, iif((
      SELECT procedure.version
      FROM procedure
      WHERE procedure.no = ?1
    ) = ?6, '$', 'stale procedure')) OFFSET ?7
  )
) AS merged
CROSS JOIN process ON process.rid = merged.rid;

-- either of two equalities: merged, and without twins
-- ?1 = 1, ?2 = "a", ?3 = 3, ?4 = 11, ?5 = 4, ?6 = 0
SELECT merged.rid AS rid, <process> AS row
FROM (
  SELECT rid
  FROM (
    SELECT process.rid AS rid
    FROM process INDEXED BY process_s1
    WHERE process.proc = ?1 AND process.s1 = ?2
    UNION
    SELECT process.rid AS rid
    FROM process INDEXED BY process_status
    WHERE process.proc = ?1 AND process.status = ?3
    ORDER BY rid DESC
    LIMIT json_extract(?4, iif((
      SELECT procedure.version
      FROM procedure
      WHERE procedure.no = ?1
    ) = ?5, '$', 'stale procedure')) OFFSET ?6
  )
) AS merged
CROSS JOIN process ON process.rid = merged.rid;

-- one of many values
-- ?1 = "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]", ?2 = 1, ?3 = 11, ?4 = 4, ?5 = 0
SELECT process.rid AS rid, <process> AS row
FROM process INDEXED BY process_s1
WHERE process.s1 IN (
  SELECT value
  FROM json_each(?1)
) AND process.proc = ?2
ORDER BY process.rid DESC
LIMIT json_extract(?3, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?2
) = ?4, '$', 'stale procedure')) OFFSET ?5;

-- an id
-- ?1 = "[5]", ?2 = 1, ?3 = "018cc251-f400-7005-8000-000000000005", ?4 = 11, ?5 = 4, ?6 = 0
SELECT process.rid AS rid, <process> AS row
FROM process NOT INDEXED
WHERE process.rid IN (
  SELECT value
  FROM json_each(?1)
) AND process.proc = ?2 AND process.id = ?3
ORDER BY process.rid DESC
LIMIT json_extract(?4, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?2
) = ?5, '$', 'stale procedure')) OFFSET ?6;

-- a primary key, sorted
-- ?1 = "[\"L1\",\"L2\"]", ?2 = 1, ?3 = 11, ?4 = 4
SELECT page.*, <process> AS row
FROM (
  SELECT *
  FROM (
    SELECT process.rid AS rid, process.s1 AS sort0
    FROM process INDEXED BY process_primary_key
    WHERE process.primary_key IN (
      SELECT value
      FROM json_each(?1)
    ) AND process.proc = ?2
  )
  WHERE 1
  ORDER BY sort0 ASC NULLS LAST, rid DESC
  LIMIT json_extract(?3, iif((
    SELECT procedure.version
    FROM procedure
    WHERE procedure.no = ?2
  ) = ?4, '$', 'stale procedure'))
) AS page
CROSS JOIN process ON process.rid = page.rid;

-- an attribute without an index: a filtered scan
-- ?1 = "$.\"score\"", ?2 = 5, ?3 = 1, ?4 = 40960000, ?5 = 10000, ?6 = 11, ?7 = 4
WITH chosen AS (
  SELECT 0 AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN CASE json_type(process.data, ?1) WHEN 'integer' THEN process.data->>?1 = ?2 WHEN 'real' THEN process.data->>?1 = ?2 WHEN 'array' THEN EXISTS (
          SELECT 1
          FROM json_each(process.data, ?1)
          WHERE CASE type WHEN 'integer' THEN value = ?2 WHEN 'real' THEN value = ?2 END
        ) END THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_list
        WHERE process.proc = ?3
        ORDER BY process.rid DESC
        LIMIT (
          SELECT iif(EXISTS (
            SELECT 1
            FROM process INDEXED BY process_large
            WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
          ),
(
            SELECT iif(max(bytes) <= ?4, ?5, max(1, count(*) FILTER (WHERE bytes <= ?4)))
            FROM (
              SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
              FROM (
                SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
                FROM process INDEXED BY process_list
                WHERE process.proc = ?3
                ORDER BY process.rid DESC
                LIMIT ?5
              )
            )
          ),
?5)
        )
      )
      WHERE is_match
      LIMIT ?6
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?6 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_list
  WHERE process.proc = ?3
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET (
    SELECT iif(EXISTS (
      SELECT 1
      FROM process INDEXED BY process_large
      WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
    ),
(
      SELECT iif(max(bytes) <= ?4, ?5, max(1, count(*) FILTER (WHERE bytes <= ?4)))
      FROM (
        SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (
          SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
          FROM process INDEXED BY process_list
          WHERE process.proc = ?3
          ORDER BY process.rid DESC
          LIMIT ?5
        )
      )
    ),
?5)
  ) - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?3
) = ?7, '$', 'stale procedure'));

-- a filtered scan, skip
-- ?1 = "$.\"score\"", ?2 = 1, ?3 = 40960000, ?4 = 10000, ?5 = 511, ?6 = 11, ?7 = 500, ?8 = 4
WITH chosen AS (
  SELECT 0 AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN (json_type(process.data, ?1) IS NULL IS NOT TRUE) THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_list
        WHERE process.proc = ?2
        ORDER BY process.rid DESC
        LIMIT (
          SELECT iif(EXISTS (
            SELECT 1
            FROM process INDEXED BY process_large
            WHERE process.proc = ?2 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
          ),
(
            SELECT iif(max(bytes) <= ?3, ?4, max(1, count(*) FILTER (WHERE bytes <= ?3)))
            FROM (
              SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
              FROM (
                SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
                FROM process INDEXED BY process_list
                WHERE process.proc = ?2
                ORDER BY process.rid DESC
                LIMIT ?4
              )
            )
          ),
?4)
        )
      )
      WHERE is_match
      LIMIT ?5
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?5 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_list
  WHERE process.proc = ?2
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET (
    SELECT iif(EXISTS (
      SELECT 1
      FROM process INDEXED BY process_large
      WHERE process.proc = ?2 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
    ),
(
      SELECT iif(max(bytes) <= ?3, ?4, max(1, count(*) FILTER (WHERE bytes <= ?3)))
      FROM (
        SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (
          SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
          FROM process INDEXED BY process_list
          WHERE process.proc = ?2
          ORDER BY process.rid DESC
          LIMIT ?4
        )
      )
    ),
?4)
  ) - 1
) END END AS boundary
FROM found
LEFT JOIN json_each((
  SELECT json_group_array(value)
  FROM (
    SELECT value
    FROM json_each(matches)
    ORDER BY value DESC
    LIMIT ?6 OFFSET ?7
  )
)) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?2
) = ?8, '$', 'stale procedure'));

-- two equalities
-- ?1 = 1, ?2 = "a", ?3 = 63, ?4 = 3, ?5 = 10000, ?6 = 11, ?7 = 4
WITH chosen AS (
  SELECT (
    SELECT CASE WHEN probe0 <= probe0 AND probe0 <= probe1 THEN 0 WHEN probe1 <= probe0 AND probe1 <= probe1 THEN 1 END
    FROM (
      SELECT coalesce((
        SELECT process.rid AS rid
        FROM process INDEXED BY process_s1
        WHERE process.proc = ?1 AND process.s1 = ?2
        ORDER BY process.rid DESC
        LIMIT 1 OFFSET ?3
      ),
0) AS probe0, coalesce((
        SELECT process.rid AS rid
        FROM process INDEXED BY process_status
        WHERE process.proc = ?1 AND process.status = ?4
        ORDER BY process.rid DESC
        LIMIT 1 OFFSET ?3
      ),
0) AS probe1
      LIMIT 1
    )
  ) AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN process.status = ?4 THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_s1
        WHERE process.proc = ?1 AND process.s1 = ?2
        ORDER BY process.rid DESC
        LIMIT ?5
      )
      WHERE is_match
      LIMIT ?6
    )
  ) WHEN 1 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN process.s1 = ?2 THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_status
        WHERE process.proc = ?1 AND process.status = ?4
        ORDER BY process.rid DESC
        LIMIT ?5
      )
      WHERE is_match
      LIMIT ?6
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?6 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_s1
  WHERE process.proc = ?1 AND process.s1 = ?2
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?5 - 1
) WHEN 1 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_status
  WHERE process.proc = ?1 AND process.status = ?4
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?5 - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?7, '$', 'stale procedure'));

-- two equalities, the next statement, along the chosen index
-- ?1 = "a", ?2 = 1, ?3 = 3, ?4 = 7168000000000000, ?5 = 10000, ?6 = 11, ?7 = 4
WITH chosen AS (
  SELECT 0 AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN process.s1 = ?1 THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_status
        WHERE process.proc = ?2 AND process.status = ?3 AND process.rid < ?4
        ORDER BY process.rid DESC
        LIMIT ?5
      )
      WHERE is_match
      LIMIT ?6
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?6 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_status
  WHERE process.proc = ?2 AND process.status = ?3 AND process.rid < ?4
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?5 - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?2
) = ?7, '$', 'stale procedure'));

-- three equalities
-- ?1 = 1, ?2 = "a", ?3 = 63, ?4 = 3, ?5 = 10000, ?6 = 11, ?7 = 4
WITH chosen AS (
  SELECT (
    SELECT CASE WHEN probe0 <= probe0 AND probe0 <= probe1 AND probe0 <= probe2 THEN 0 WHEN probe1 <= probe0 AND probe1 <= probe1 AND probe1 <= probe2 THEN 1 WHEN probe2 <= probe0 AND probe2 <= probe1 AND probe2 <= probe2 THEN 2 END
    FROM (
      SELECT coalesce((
        SELECT process.rid AS rid
        FROM process INDEXED BY process_s1
        WHERE process.proc = ?1 AND process.s1 = ?2
        ORDER BY process.rid DESC
        LIMIT 1 OFFSET ?3
      ),
0) AS probe0, coalesce((
        SELECT process.rid AS rid
        FROM process INDEXED BY process_status
        WHERE process.proc = ?1 AND process.status = ?4
        ORDER BY process.rid DESC
        LIMIT 1 OFFSET ?3
      ),
0) AS probe1, coalesce((
        SELECT process.rid AS rid
        FROM process INDEXED BY process_s3
        WHERE process.proc = ?1 AND process.s3 = ?1
        ORDER BY process.rid DESC
        LIMIT 1 OFFSET ?3
      ),
0) AS probe2
      LIMIT 1
    )
  ) AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN (process.status = ?4 AND process.s3 = ?1) THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_s1
        WHERE process.proc = ?1 AND process.s1 = ?2
        ORDER BY process.rid DESC
        LIMIT ?5
      )
      WHERE is_match
      LIMIT ?6
    )
  ) WHEN 1 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN (process.s1 = ?2 AND process.s3 = ?1) THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_status
        WHERE process.proc = ?1 AND process.status = ?4
        ORDER BY process.rid DESC
        LIMIT ?5
      )
      WHERE is_match
      LIMIT ?6
    )
  ) WHEN 2 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN (process.s1 = ?2 AND process.status = ?4) THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_s3
        WHERE process.proc = ?1 AND process.s3 = ?1
        ORDER BY process.rid DESC
        LIMIT ?5
      )
      WHERE is_match
      LIMIT ?6
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?6 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_s1
  WHERE process.proc = ?1 AND process.s1 = ?2
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?5 - 1
) WHEN 1 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_status
  WHERE process.proc = ?1 AND process.status = ?4
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?5 - 1
) WHEN 2 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_s3
  WHERE process.proc = ?1 AND process.s3 = ?1
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?5 - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?7, '$', 'stale procedure'));

-- a customer
-- ?1 = 1, ?2 = 188140748799999, ?3 = 11, ?4 = 4, ?5 = 0
SELECT process.rid AS rid, <process> AS row
FROM process INDEXED BY process_record
WHERE process.proc = ?1 AND process.record = ?2
ORDER BY process.rid DESC
LIMIT json_extract(?3, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?4, '$', 'stale procedure')) OFFSET ?5;

-- a customer, filtered
-- ?1 = "$.\"score\"", ?2 = 5, ?3 = 1, ?4 = 188140748799999, ?5 = 40960000, ?6 = 10000, ?7 = 11, ?8 = 4
WITH chosen AS (
  SELECT 0 AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN CASE json_type(process.data, ?1) WHEN 'integer' THEN process.data->>?1 = ?2 WHEN 'real' THEN process.data->>?1 = ?2 WHEN 'array' THEN EXISTS (
          SELECT 1
          FROM json_each(process.data, ?1)
          WHERE CASE type WHEN 'integer' THEN value = ?2 WHEN 'real' THEN value = ?2 END
        ) END THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_record
        WHERE process.proc = ?3 AND process.record = ?4
        ORDER BY process.rid DESC
        LIMIT (
          SELECT iif(EXISTS (
            SELECT 1
            FROM process INDEXED BY process_large
            WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
          ),
(
            SELECT iif(max(bytes) <= ?5, ?6, max(1, count(*) FILTER (WHERE bytes <= ?5)))
            FROM (
              SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
              FROM (
                SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
                FROM process INDEXED BY process_record
                WHERE process.proc = ?3 AND process.record = ?4
                ORDER BY process.rid DESC
                LIMIT ?6
              )
            )
          ),
?6)
        )
      )
      WHERE is_match
      LIMIT ?7
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?7 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_record
  WHERE process.proc = ?3 AND process.record = ?4
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET (
    SELECT iif(EXISTS (
      SELECT 1
      FROM process INDEXED BY process_large
      WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
    ),
(
      SELECT iif(max(bytes) <= ?5, ?6, max(1, count(*) FILTER (WHERE bytes <= ?5)))
      FROM (
        SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (
          SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
          FROM process INDEXED BY process_record
          WHERE process.proc = ?3 AND process.record = ?4
          ORDER BY process.rid DESC
          LIMIT ?6
        )
      )
    ),
?6)
  ) - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?3
) = ?8, '$', 'stale procedure'));

-- a range
-- ?1 = 1, ?2 = 5, ?3 = 1990, ?4 = 11, ?5 = 10000, ?6 = 4
WITH range_scan AS (
  SELECT coalesce(max(key >= (1 << 60)),
(
    SELECT process.rid
    FROM process INDEXED BY process_s2
    WHERE process.proc = ?1 AND (process.s2 >= ?2 AND process.s2 < '')
    ORDER BY process.s2 DESC, process.rid DESC
    LIMIT 1
  ) IS NULL) AS is_complete, json_group_array(key & ((1 << 60) - 1)) AS matches
  FROM (
    SELECT *
    FROM (
      SELECT iif(process.rid = (
        SELECT process.rid
        FROM process INDEXED BY process_s2
        WHERE process.proc = ?1 AND (process.s2 >= ?2 AND process.s2 < '')
        ORDER BY process.s2 DESC, process.rid DESC
        LIMIT 1
      ),
process.rid | (1 << 60),
process.rid) AS key
      FROM process INDEXED BY process_s2
      WHERE process.proc = ?1 AND (process.s2 >= ?2 AND process.s2 < '')
      LIMIT ?3
    ) GROUP BY key
    ORDER BY key DESC
    LIMIT ?4 + 1
  )
),
chosen AS (
  SELECT CASE WHEN is_complete THEN -1 ELSE 0 END AS index_scan, matches
  FROM range_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN -1 THEN matches WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN (process.s2 >= ?2 AND process.s2 < '') THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_list
        WHERE process.proc = ?1
        ORDER BY process.rid DESC
        LIMIT ?5
      )
      WHERE is_match
      LIMIT ?4
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?4 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_list
  WHERE process.proc = ?1
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?5 - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?6, '$', 'stale procedure'));

-- the start of a text: its spellings are looked for letter by letter
-- ?1 = "[[[[\"P\",\"Q\"],[\"p\",\"q\"]],[[\"U-1\",\"U-2\"],[\"u-1\",\"u-2\"]]]]", ?2 = 1, ?3 = 1000, ?4 = 1990, ?5 = 11, ?6 = 4, ?7 = "pu-1", ?8 = 10000
WITH walk AS MATERIALIZED (
  SELECT key AS pattern, 0 AS depth, '' AS low, '' AS high
  FROM json_each(?1)
  UNION ALL
  SELECT pattern, depth + 1, walk.low || (spelling.value->>0),
walk.low || (spelling.value->>1)
  FROM walk
  CROSS JOIN json_each(?1, '$[' || pattern || '][' || depth || ']') AS spelling
  WHERE EXISTS (
    SELECT 1
    FROM process INDEXED BY process_s1
    WHERE process.proc = ?2 AND process.s1 >= walk.low || (spelling.value->>0) AND process.s1 < walk.low || (spelling.value->>1)
  )
  LIMIT ?3
),
prefix AS MATERIALIZED (
  SELECT low, high
  FROM walk
  WHERE depth = json_array_length(?1, '$[' || pattern || ']')
  ORDER BY low
  LIMIT ?3
),
range_scan AS (
  SELECT (
    SELECT count(*)
    FROM walk
  ) < ?3 AND coalesce(max(key >= (1 << 60)),
(
    SELECT process.rid
    FROM process INDEXED BY process_s1
    WHERE process.proc = ?2 AND process.s1 >= (
      SELECT max(low)
      FROM prefix
    ) AND process.s1 < (
      SELECT max(high)
      FROM prefix
    )
    ORDER BY process.s1 DESC, process.rid DESC
    LIMIT 1
  ) IS NULL) AS is_complete, json_group_array(key & ((1 << 60) - 1)) AS matches
  FROM (
    SELECT *
    FROM (
      SELECT iif(process.rid = (
        SELECT process.rid
        FROM process INDEXED BY process_s1
        WHERE process.proc = ?2 AND process.s1 >= (
          SELECT max(low)
          FROM prefix
        ) AND process.s1 < (
          SELECT max(high)
          FROM prefix
        )
        ORDER BY process.s1 DESC, process.rid DESC
        LIMIT 1
      ),
process.rid | (1 << 60),
process.rid) AS key
      FROM prefix
      CROSS JOIN process INDEXED BY process_s1
      WHERE process.proc = ?2 AND process.s1 >= prefix.low AND process.s1 < prefix.high
      LIMIT ?4
    ) GROUP BY key
    ORDER BY key DESC
    LIMIT ?5 + 1
  )
),
chosen AS (
  SELECT CASE WHEN is_complete THEN -1 ELSE 0 END AS index_scan, matches
  FROM range_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN -1 THEN matches WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN (process.s1 >= '' AND (
          SELECT CASE WHEN substr(t, 1, ?6) = ?7 THEN 1 END
          FROM (
            SELECT lower(substr(process.s1, 1, ?6)) AS t
          )
        )) THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_list
        WHERE process.proc = ?2
        ORDER BY process.rid DESC
        LIMIT ?8
      )
      WHERE is_match
      LIMIT ?5
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?5 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_list
  WHERE process.proc = ?2
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?8 - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?2
) = ?6, '$', 'stale procedure'));

-- the start of a text, sorted by it
-- ?1 = 2, ?2 = "pu", ?3 = 1, ?4 = "PU", ?5 = "pv", ?6 = 10000, ?7 = 11, ?8 = 0, ?9 = 4
WITH tied AS MATERIALIZED (
  SELECT 0 AS rid, 0 AS sort0
  WHERE 0
),
following AS MATERIALIZED (
  SELECT rid, sort0
  FROM (
    SELECT process.rid AS rid, process.s1 AS sort0, CASE WHEN (process.s1 >= '' AND (
      SELECT CASE WHEN substr(t, 1, ?1) = ?2 THEN 1 END
      FROM (
        SELECT lower(substr(process.s1, 1, ?1)) AS t
      )
    )) THEN 1 ELSE 0 END AS is_match
    FROM process INDEXED BY process_s1
    WHERE process.proc = ?3 AND (process.s1 >= ?4 AND process.s1 < ?5)
    ORDER BY process.s1 ASC, process.rid ASC
    LIMIT ?6
  )
  WHERE is_match
  LIMIT ?7
),
cut AS MATERIALIZED (
  SELECT CASE WHEN count(*) = ?7 THEN max(sort0) END AS sort0
  FROM following
),
cut_tied AS MATERIALIZED (
  SELECT rid, sort0
  FROM (
    SELECT process.rid AS rid, process.s1 AS sort0, CASE WHEN (process.s1 >= '' AND (
      SELECT CASE WHEN substr(t, 1, ?1) = ?2 THEN 1 END
      FROM (
        SELECT lower(substr(process.s1, 1, ?1)) AS t
      )
    )) THEN 1 ELSE 0 END AS is_match
    FROM process INDEXED BY process_s1
    WHERE process.proc = ?3 AND process.s1 = (
      SELECT sort0
      FROM cut
    )
    ORDER BY process.rid DESC
    LIMIT ?6
  )
  WHERE is_match
  LIMIT ?7
),
matches AS MATERIALIZED (
  SELECT rid, sort0
  FROM tied
  UNION ALL
  SELECT rid, sort0
  FROM following
  WHERE sort0 IS NOT (
    SELECT sort0
    FROM cut
  )
  UNION ALL
  SELECT rid, sort0
  FROM cut_tied
)
SELECT page.rid AS rid, <process> AS row, page.sort0 AS sort0, NULL AS found, NULL AS is_complete
FROM (
  SELECT rid, sort0
  FROM matches
  ORDER BY sort0 ASC, rid DESC
  LIMIT ?7 OFFSET ?8
) AS page
CROSS JOIN process ON process.rid = page.rid
UNION ALL
SELECT NULL, NULL, NULL, count(*),
CASE WHEN CASE WHEN (
  SELECT count(*)
  FROM following
) = ?7 THEN 1 ELSE NOT EXISTS (
  SELECT 1
  FROM (
    SELECT process.rid AS rid, process.s1 AS sort0, 1 AS is_match
    FROM process INDEXED BY process_s1
    WHERE process.proc = ?3 AND (process.s1 >= ?4 AND process.s1 < ?5)
    ORDER BY process.s1 ASC, process.rid ASC
    LIMIT 1 OFFSET ?6 - 1
  )
) END THEN count(*) >= ?7 OR (
  SELECT sort0 IS NULL
  FROM cut
) ELSE 0 END
FROM matches
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?3
) = ?9, '$', 'stale procedure'));

-- parts of texts
-- ?1 = "$.\"tags\"", ?2 = "a", ?3 = "b", ?4 = "un", ?5 = 1, ?6 = 20480000, ?7 = 4444, ?8 = 11, ?9 = 4
WITH chosen AS (
  SELECT 0 AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN (CASE json_type(process.data, ?1) WHEN 'text' THEN (
          SELECT CASE WHEN (instr(t, ?2) > 0 OR instr(t, ?3) > 0) THEN 1 END
          FROM (
            SELECT lower(process.data->>?1) AS t
          )
        ) WHEN 'array' THEN EXISTS (
          SELECT 1
          FROM json_each(process.data, ?1)
          WHERE type = 'text' AND (
            SELECT CASE WHEN (instr(t, ?2) > 0 OR instr(t, ?3) > 0) THEN 1 END
            FROM (
              SELECT lower(value) AS t
            )
          )
        ) END AND (process.s1 >= '' AND (
          SELECT CASE WHEN instr(t, ?4) > 0 THEN 1 END
          FROM (
            SELECT lower(process.s1) AS t
          )
        ))) THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_list
        WHERE process.proc = ?5
        ORDER BY process.rid DESC
        LIMIT (
          SELECT iif(EXISTS (
            SELECT 1
            FROM process INDEXED BY process_large
            WHERE process.proc = ?5 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
          ),
(
            SELECT iif(max(bytes) <= ?6, ?7, max(1, count(*) FILTER (WHERE bytes <= ?6)))
            FROM (
              SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
              FROM (
                SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
                FROM process INDEXED BY process_list
                WHERE process.proc = ?5
                ORDER BY process.rid DESC
                LIMIT ?7
              )
            )
          ),
?7)
        )
      )
      WHERE is_match
      LIMIT ?8
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?8 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_list
  WHERE process.proc = ?5
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET (
    SELECT iif(EXISTS (
      SELECT 1
      FROM process INDEXED BY process_large
      WHERE process.proc = ?5 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
    ),
(
      SELECT iif(max(bytes) <= ?6, ?7, max(1, count(*) FILTER (WHERE bytes <= ?6)))
      FROM (
        SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (
          SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
          FROM process INDEXED BY process_list
          WHERE process.proc = ?5
          ORDER BY process.rid DESC
          LIMIT ?7
        )
      )
    ),
?7)
  ) - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?5
) = ?9, '$', 'stale procedure'));

-- a range and an equality
-- ?1 = 1, ?2 = 5, ?3 = 9, ?4 = 3, ?5 = 500, ?6 = 11, ?7 = 10000, ?8 = 4
WITH range_scan AS (
  SELECT coalesce(max(key >= (1 << 60)),
(
    SELECT process.rid
    FROM process INDEXED BY process_s2
    WHERE process.proc = ?1 AND (process.s2 >= ?2 AND process.s2 < ?3)
    ORDER BY process.s2 DESC, process.rid DESC
    LIMIT 1
  ) IS NULL) AS is_complete, json_group_array(key & ((1 << 60) - 1)) FILTER (WHERE is_match) AS matches
  FROM (
    SELECT *
    FROM (
      SELECT iif(process.rid = (
        SELECT process.rid
        FROM process INDEXED BY process_s2
        WHERE process.proc = ?1 AND (process.s2 >= ?2 AND process.s2 < ?3)
        ORDER BY process.s2 DESC, process.rid DESC
        LIMIT 1
      ),
process.rid | (1 << 60),
process.rid) AS key, CASE WHEN process.status = ?4 THEN 1 ELSE 0 END AS is_match
      FROM process INDEXED BY process_s2
      WHERE process.proc = ?1 AND (process.s2 >= ?2 AND process.s2 < ?3)
      LIMIT ?5
    )
    WHERE is_match OR key >= (1 << 60) GROUP BY key
    ORDER BY key DESC
    LIMIT ?6 + 1
  )
),
chosen AS (
  SELECT CASE WHEN is_complete THEN -1 ELSE 0 END AS index_scan, matches
  FROM range_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN -1 THEN matches WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN ((process.s2 >= ?2 AND process.s2 < '') AND (process.s2 < ?3 AND process.s2 < '')) THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_status
        WHERE process.proc = ?1 AND process.status = ?4
        ORDER BY process.rid DESC
        LIMIT ?7
      )
      WHERE is_match
      LIMIT ?6
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?6 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_status
  WHERE process.proc = ?1 AND process.status = ?4
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?7 - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?8, '$', 'stale procedure'));

-- or with and
-- ?1 = "a", ?2 = "$.\"score\"", ?3 = 1, ?4 = 5, ?5 = 40960000, ?6 = 10000, ?7 = 11, ?8 = 4
WITH chosen AS (
  SELECT 0 AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT merged.rid AS rid, CASE WHEN ((process.s1 = ?1 AND CASE json_type(process.data, ?2) WHEN 'integer' THEN process.data->>?2 = ?3 WHEN 'real' THEN process.data->>?2 = ?3 WHEN 'array' THEN EXISTS (
          SELECT 1
          FROM json_each(process.data, ?2)
          WHERE CASE type WHEN 'integer' THEN value = ?3 WHEN 'real' THEN value = ?3 END
        ) END) OR process.s2 = ?4) THEN 1 ELSE 0 END AS is_match
        FROM (
          SELECT rid
          FROM (
            SELECT process.rid AS rid
            FROM process INDEXED BY process_s1
            WHERE process.proc = ?3 AND process.s1 = ?1
            UNION
            SELECT process.rid AS rid
            FROM process INDEXED BY process_s2
            WHERE process.proc = ?3 AND process.s2 = ?4
            ORDER BY rid DESC
            LIMIT (
              SELECT iif(EXISTS (
                SELECT 1
                FROM process INDEXED BY process_large
                WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
              ),
(
                SELECT iif(max(bytes) <= ?5, ?6, max(1, count(*) FILTER (WHERE bytes <= ?5)))
                FROM (
                  SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
                  FROM (
                    SELECT merged.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
                    FROM (
                      SELECT rid
                      FROM (
                        SELECT process.rid AS rid
                        FROM process INDEXED BY process_s1
                        WHERE process.proc = ?3 AND process.s1 = ?1
                        UNION
                        SELECT process.rid AS rid
                        FROM process INDEXED BY process_s2
                        WHERE process.proc = ?3 AND process.s2 = ?4
                        ORDER BY rid DESC
                        LIMIT ?6
                      )
                    ) AS merged
                    CROSS JOIN process ON process.rid = merged.rid
                  )
                )
              ),
?6)
            )
          )
        ) AS merged
        CROSS JOIN process ON process.rid = merged.rid
      )
      WHERE is_match
      LIMIT ?7
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?7 THEN CASE index_scan WHEN 0 THEN (
  SELECT rid
  FROM (
    SELECT process.rid AS rid
    FROM process INDEXED BY process_s1
    WHERE process.proc = ?3 AND process.s1 = ?1
    UNION
    SELECT process.rid AS rid
    FROM process INDEXED BY process_s2
    WHERE process.proc = ?3 AND process.s2 = ?4
    ORDER BY rid DESC
    LIMIT 1 OFFSET (
      SELECT iif(EXISTS (
        SELECT 1
        FROM process INDEXED BY process_large
        WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
      ),
(
        SELECT iif(max(bytes) <= ?5, ?6, max(1, count(*) FILTER (WHERE bytes <= ?5)))
        FROM (
          SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (
            SELECT merged.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
            FROM (
              SELECT rid
              FROM (
                SELECT process.rid AS rid
                FROM process INDEXED BY process_s1
                WHERE process.proc = ?3 AND process.s1 = ?1
                UNION
                SELECT process.rid AS rid
                FROM process INDEXED BY process_s2
                WHERE process.proc = ?3 AND process.s2 = ?4
                ORDER BY rid DESC
                LIMIT ?6
              )
            ) AS merged
            CROSS JOIN process ON process.rid = merged.rid
          )
        )
      ),
?6)
    ) - 1
  )
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?3
) = ?8, '$', 'stale procedure'));

-- every kind of condition
-- ?1 = "a", ?2 = "$.\"tags\"", ?3 = "x", ?4 = "$.\"score\"", ?5 = 1, ?6 = "$.\"due\"", ?7 = "2026-01-01", ?8 = "$.\"other\"", ?9 = "105", ?10 = 105, ?11 = 10240000, ?12 = 10000, ?13 = 11, ?14 = 4
WITH chosen AS (
  SELECT 0 AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN (((process.s1 = ?1 IS NOT TRUE) AND (CASE json_type(process.data, ?2) WHEN 'text' THEN process.data->>?2 = ?3 WHEN 'array' THEN EXISTS (
          SELECT 1
          FROM json_each(process.data, ?2)
          WHERE CASE type WHEN 'text' THEN value = ?3 END
        ) END OR json_type(process.data, ?2) IS NULL)) AND ((process.data->>?4 > ?5 AND json_type(process.data, ?4) IN ('integer', 'real')) AND ((process.data->>?6 <= ?7 AND json_type(process.data, ?6) = 'text') AND CASE json_type(process.data, ?8) WHEN 'text' THEN process.data->>?8 = ?9 WHEN 'integer' THEN process.data->>?8 = ?10 WHEN 'real' THEN process.data->>?8 = ?10 WHEN 'array' THEN EXISTS (
          SELECT 1
          FROM json_each(process.data, ?8)
          WHERE CASE type WHEN 'text' THEN value = ?9 WHEN 'integer' THEN value = ?10 WHEN 'real' THEN value = ?10 END
        ) END))) THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_list
        WHERE process.proc = ?5
        ORDER BY process.rid DESC
        LIMIT (
          SELECT iif(EXISTS (
            SELECT 1
            FROM process INDEXED BY process_large
            WHERE process.proc = ?5 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
          ),
(
            SELECT iif(max(bytes) <= ?11, ?12, max(1, count(*) FILTER (WHERE bytes <= ?11)))
            FROM (
              SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
              FROM (
                SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
                FROM process INDEXED BY process_list
                WHERE process.proc = ?5
                ORDER BY process.rid DESC
                LIMIT ?12
              )
            )
          ),
?12)
        )
      )
      WHERE is_match
      LIMIT ?13
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?13 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_list
  WHERE process.proc = ?5
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET (
    SELECT iif(EXISTS (
      SELECT 1
      FROM process INDEXED BY process_large
      WHERE process.proc = ?5 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
    ),
(
      SELECT iif(max(bytes) <= ?11, ?12, max(1, count(*) FILTER (WHERE bytes <= ?11)))
      FROM (
        SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (
          SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
          FROM process INDEXED BY process_list
          WHERE process.proc = ?5
          ORDER BY process.rid DESC
          LIMIT ?12
        )
      )
    ),
?12)
  ) - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?5
) = ?14, '$', 'stale procedure'));

-- sorted by an index, descending
-- ?1 = 1, ?2 = 10000, ?3 = 11, ?4 = 0, ?5 = 4
WITH tied AS MATERIALIZED (
  SELECT 0 AS rid, 0 AS sort0
  WHERE 0
),
following AS MATERIALIZED (
  SELECT rid, sort0
  FROM (
    SELECT process.rid AS rid, process.s2 AS sort0, CASE WHEN 1 THEN 1 ELSE 0 END AS is_match
    FROM process INDEXED BY process_s2
    WHERE process.proc = ?1 AND process.s2 IS NOT NULL
    ORDER BY process.s2 DESC, process.rid DESC
    LIMIT ?2
  )
  WHERE is_match
  LIMIT ?3
),
cut AS MATERIALIZED (
  SELECT NULL AS sort0
  FROM following
),
cut_tied AS MATERIALIZED (
  SELECT 0 AS rid, 0 AS sort0
  WHERE 0
),
matches AS MATERIALIZED (
  SELECT rid, sort0
  FROM tied
  UNION ALL
  SELECT rid, sort0
  FROM following
  WHERE sort0 IS NOT (
    SELECT sort0
    FROM cut
  )
  UNION ALL
  SELECT rid, sort0
  FROM cut_tied
)
SELECT page.rid AS rid, <process> AS row, page.sort0 AS sort0, NULL AS found, NULL AS is_complete
FROM (
  SELECT rid, sort0
  FROM matches
  ORDER BY sort0 DESC, rid DESC
  LIMIT ?3 OFFSET ?4
) AS page
CROSS JOIN process ON process.rid = page.rid
UNION ALL
SELECT NULL, NULL, NULL, count(*),
CASE WHEN CASE WHEN (
  SELECT count(*)
  FROM following
) = ?3 THEN 1 ELSE NOT EXISTS (
  SELECT 1
  FROM (
    SELECT process.rid AS rid, process.s2 AS sort0, 1 AS is_match
    FROM process INDEXED BY process_s2
    WHERE process.proc = ?1 AND process.s2 IS NOT NULL
    ORDER BY process.s2 DESC, process.rid DESC
    LIMIT 1 OFFSET ?2 - 1
  )
) END THEN count(*) >= ?3 OR (
  SELECT sort0 IS NULL
  FROM cut
) ELSE 0 END
FROM matches
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?5, '$', 'stale procedure'));

-- sorted by an index, ascending, filtered
-- ?1 = "$.\"score\"", ?2 = 5, ?3 = 1, ?4 = 40960000, ?5 = 10000, ?6 = 11, ?7 = 0, ?8 = 4
WITH tied AS MATERIALIZED (
  SELECT 0 AS rid, 0 AS sort0
  WHERE 0
),
following AS MATERIALIZED (
  SELECT rid, sort0
  FROM (
    SELECT process.rid AS rid, process.next_action_at AS sort0, CASE WHEN CASE json_type(process.data, ?1) WHEN 'integer' THEN process.data->>?1 = ?2 WHEN 'real' THEN process.data->>?1 = ?2 WHEN 'array' THEN EXISTS (
      SELECT 1
      FROM json_each(process.data, ?1)
      WHERE CASE type WHEN 'integer' THEN value = ?2 WHEN 'real' THEN value = ?2 END
    ) END THEN 1 ELSE 0 END AS is_match
    FROM process INDEXED BY process_next_action_at
    WHERE process.proc = ?3 AND process.next_action_at IS NOT NULL
    ORDER BY process.next_action_at ASC, process.rid ASC
    LIMIT (
      SELECT iif(EXISTS (
        SELECT 1
        FROM process INDEXED BY process_large
        WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
      ),
(
        SELECT iif(max(bytes) <= ?4, ?5, max(1, count(*) FILTER (WHERE bytes <= ?4)))
        FROM (
          SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (
            SELECT process.rid AS rid, process.next_action_at AS sort0, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
            FROM process INDEXED BY process_next_action_at
            WHERE process.proc = ?3 AND process.next_action_at IS NOT NULL
            ORDER BY process.next_action_at ASC, process.rid ASC
            LIMIT ?5
          )
        )
      ),
?5)
    )
  )
  WHERE is_match
  LIMIT ?6
),
cut AS MATERIALIZED (
  SELECT CASE WHEN count(*) = ?6 THEN max(sort0) END AS sort0
  FROM following
),
cut_tied AS MATERIALIZED (
  SELECT rid, sort0
  FROM (
    SELECT process.rid AS rid, process.next_action_at AS sort0, CASE WHEN CASE json_type(process.data, ?1) WHEN 'integer' THEN process.data->>?1 = ?2 WHEN 'real' THEN process.data->>?1 = ?2 WHEN 'array' THEN EXISTS (
      SELECT 1
      FROM json_each(process.data, ?1)
      WHERE CASE type WHEN 'integer' THEN value = ?2 WHEN 'real' THEN value = ?2 END
    ) END THEN 1 ELSE 0 END AS is_match
    FROM process INDEXED BY process_next_action_at
    WHERE process.proc = ?3 AND process.next_action_at = (
      SELECT sort0
      FROM cut
    )
    ORDER BY process.rid DESC
    LIMIT (
      SELECT iif(EXISTS (
        SELECT 1
        FROM process INDEXED BY process_large
        WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
      ),
(
        SELECT iif(max(bytes) <= ?4, ?5, max(1, count(*) FILTER (WHERE bytes <= ?4)))
        FROM (
          SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (
            SELECT process.rid AS rid, process.next_action_at AS sort0, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
            FROM process INDEXED BY process_next_action_at
            WHERE process.proc = ?3 AND process.next_action_at = (
              SELECT sort0
              FROM cut
            )
            ORDER BY process.rid DESC
            LIMIT ?5
          )
        )
      ),
?5)
    )
  )
  WHERE is_match
  LIMIT ?6
),
matches AS MATERIALIZED (
  SELECT rid, sort0
  FROM tied
  UNION ALL
  SELECT rid, sort0
  FROM following
  WHERE sort0 IS NOT (
    SELECT sort0
    FROM cut
  )
  UNION ALL
  SELECT rid, sort0
  FROM cut_tied
)
SELECT page.rid AS rid, <process> AS row, page.sort0 AS sort0, NULL AS found, NULL AS is_complete
FROM (
  SELECT rid, sort0
  FROM matches
  ORDER BY sort0 ASC, rid DESC
  LIMIT ?6 OFFSET ?7
) AS page
CROSS JOIN process ON process.rid = page.rid
UNION ALL
SELECT NULL, NULL, NULL, count(*),
CASE WHEN CASE WHEN (
  SELECT count(*)
  FROM following
) = ?6 THEN 1 ELSE NOT EXISTS (
  SELECT 1
  FROM (
    SELECT process.rid AS rid, process.next_action_at AS sort0, 1 AS is_match
    FROM process INDEXED BY process_next_action_at
    WHERE process.proc = ?3 AND process.next_action_at IS NOT NULL
    ORDER BY process.next_action_at ASC, process.rid ASC
    LIMIT 1 OFFSET (
      SELECT iif(EXISTS (
        SELECT 1
        FROM process INDEXED BY process_large
        WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
      ),
(
        SELECT iif(max(bytes) <= ?4, ?5, max(1, count(*) FILTER (WHERE bytes <= ?4)))
        FROM (
          SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (
            SELECT process.rid AS rid, process.next_action_at AS sort0, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
            FROM process INDEXED BY process_next_action_at
            WHERE process.proc = ?3 AND process.next_action_at IS NOT NULL
            ORDER BY process.next_action_at ASC, process.rid ASC
            LIMIT ?5
          )
        )
      ),
?5)
    ) - 1
  )
) END THEN count(*) >= ?6 OR (
  SELECT sort0 IS NULL
  FROM cut
) ELSE 0 END
FROM matches
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?3
) = ?8, '$', 'stale procedure'));

-- sorted by an index, ascending, next page by cursor
-- ?1 = 1, ?2 = 1750000000000, ?3 = 7168000000000000, ?4 = 10000, ?5 = 11, ?6 = 0, ?7 = 4
WITH tied AS MATERIALIZED (
  SELECT rid, sort0
  FROM (
    SELECT process.rid AS rid, process.next_action_at AS sort0, CASE WHEN 1 THEN 1 ELSE 0 END AS is_match
    FROM process INDEXED BY process_next_action_at
    WHERE process.proc = ?1 AND process.next_action_at = ?2 AND process.rid < ?3
    ORDER BY process.rid DESC
    LIMIT ?4
  )
  WHERE is_match
  LIMIT ?5
),
following AS MATERIALIZED (
  SELECT rid, sort0
  FROM (
    SELECT process.rid AS rid, process.next_action_at AS sort0, CASE WHEN 1 THEN 1 ELSE 0 END AS is_match
    FROM process INDEXED BY process_next_action_at
    WHERE process.proc = ?1 AND process.next_action_at > ?2
    ORDER BY process.next_action_at ASC, process.rid ASC
    LIMIT ?4
  )
  WHERE is_match
  LIMIT ?5
),
cut AS MATERIALIZED (
  SELECT CASE WHEN count(*) = ?5 THEN max(sort0) END AS sort0
  FROM following
),
cut_tied AS MATERIALIZED (
  SELECT rid, sort0
  FROM (
    SELECT process.rid AS rid, process.next_action_at AS sort0, CASE WHEN 1 THEN 1 ELSE 0 END AS is_match
    FROM process INDEXED BY process_next_action_at
    WHERE process.proc = ?1 AND process.next_action_at = (
      SELECT sort0
      FROM cut
    )
    ORDER BY process.rid DESC
    LIMIT ?4
  )
  WHERE is_match
  LIMIT ?5
),
matches AS MATERIALIZED (
  SELECT rid, sort0
  FROM tied
  UNION ALL
  SELECT rid, sort0
  FROM following
  WHERE sort0 IS NOT (
    SELECT sort0
    FROM cut
  )
  UNION ALL
  SELECT rid, sort0
  FROM cut_tied
)
SELECT page.rid AS rid, <process> AS row, page.sort0 AS sort0, NULL AS found, NULL AS is_complete
FROM (
  SELECT rid, sort0
  FROM matches
  ORDER BY sort0 ASC, rid DESC
  LIMIT ?5 OFFSET ?6
) AS page
CROSS JOIN process ON process.rid = page.rid
UNION ALL
SELECT NULL, NULL, NULL, count(*),
CASE WHEN (
  SELECT count(*)
  FROM tied
) = ?5 THEN 1 WHEN CASE WHEN (
  SELECT count(*)
  FROM tied
) = ?5 THEN 1 ELSE NOT EXISTS (
  SELECT 1
  FROM (
    SELECT process.rid AS rid, process.next_action_at AS sort0, 1 AS is_match
    FROM process INDEXED BY process_next_action_at
    WHERE process.proc = ?1 AND process.next_action_at = ?2 AND process.rid < ?3
    ORDER BY process.rid DESC
    LIMIT 1 OFFSET ?4 - 1
  )
) END THEN CASE WHEN CASE WHEN (
  SELECT count(*)
  FROM following
) = ?5 THEN 1 ELSE NOT EXISTS (
  SELECT 1
  FROM (
    SELECT process.rid AS rid, process.next_action_at AS sort0, 1 AS is_match
    FROM process INDEXED BY process_next_action_at
    WHERE process.proc = ?1 AND process.next_action_at > ?2
    ORDER BY process.next_action_at ASC, process.rid ASC
    LIMIT 1 OFFSET ?4 - 1
  )
) END THEN count(*) >= ?5 OR (
  SELECT sort0 IS NULL
  FROM cut
) ELSE 0 END ELSE 0 END
FROM matches
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?7, '$', 'stale procedure'));

-- sorted by an index within a range
-- ?1 = 1, ?2 = 9, ?3 = 10000, ?4 = 11, ?5 = 0, ?6 = 4
WITH tied AS MATERIALIZED (
  SELECT 0 AS rid, 0 AS sort0
  WHERE 0
),
following AS MATERIALIZED (
  SELECT rid, sort0
  FROM (
    SELECT process.rid AS rid, process.s2 AS sort0, CASE WHEN 1 THEN 1 ELSE 0 END AS is_match
    FROM process INDEXED BY process_s2
    WHERE process.proc = ?1 AND (process.s2 >= ?1 AND process.s2 < ?2)
    ORDER BY process.s2 DESC, process.rid DESC
    LIMIT ?3
  )
  WHERE is_match
  LIMIT ?4
),
cut AS MATERIALIZED (
  SELECT NULL AS sort0
  FROM following
),
cut_tied AS MATERIALIZED (
  SELECT 0 AS rid, 0 AS sort0
  WHERE 0
),
matches AS MATERIALIZED (
  SELECT rid, sort0
  FROM tied
  UNION ALL
  SELECT rid, sort0
  FROM following
  WHERE sort0 IS NOT (
    SELECT sort0
    FROM cut
  )
  UNION ALL
  SELECT rid, sort0
  FROM cut_tied
)
SELECT page.rid AS rid, <process> AS row, page.sort0 AS sort0, NULL AS found, NULL AS is_complete
FROM (
  SELECT rid, sort0
  FROM matches
  ORDER BY sort0 DESC, rid DESC
  LIMIT ?4 OFFSET ?5
) AS page
CROSS JOIN process ON process.rid = page.rid
UNION ALL
SELECT NULL, NULL, NULL, count(*),
CASE WHEN CASE WHEN (
  SELECT count(*)
  FROM following
) = ?4 THEN 1 ELSE NOT EXISTS (
  SELECT 1
  FROM (
    SELECT process.rid AS rid, process.s2 AS sort0, 1 AS is_match
    FROM process INDEXED BY process_s2
    WHERE process.proc = ?1 AND (process.s2 >= ?1 AND process.s2 < ?2)
    ORDER BY process.s2 DESC, process.rid DESC
    LIMIT 1 OFFSET ?3 - 1
  )
) END THEN count(*) >= ?4 OR (
  SELECT sort0 IS NULL
  FROM cut
) ELSE 0 END
FROM matches
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?6, '$', 'stale procedure'));

-- the oldest
-- ?1 = 1, ?2 = 10000, ?3 = 11, ?4 = 0, ?5 = 4
WITH tied AS MATERIALIZED (
  SELECT 0 AS rid, 0 AS sort0
  WHERE 0
),
following AS MATERIALIZED (
  SELECT rid, sort0
  FROM (
    SELECT process.rid AS rid, process.rid AS sort0, CASE WHEN 1 THEN 1 ELSE 0 END AS is_match
    FROM process INDEXED BY process_list
    WHERE process.proc = ?1
    ORDER BY process.rid ASC
    LIMIT ?2
  )
  WHERE is_match
  LIMIT ?3
),
cut AS MATERIALIZED (
  SELECT NULL AS sort0
  FROM following
),
cut_tied AS MATERIALIZED (
  SELECT 0 AS rid, 0 AS sort0
  WHERE 0
),
matches AS MATERIALIZED (
  SELECT rid, sort0
  FROM tied
  UNION ALL
  SELECT rid, sort0
  FROM following
  WHERE sort0 IS NOT (
    SELECT sort0
    FROM cut
  )
  UNION ALL
  SELECT rid, sort0
  FROM cut_tied
)
SELECT page.rid AS rid, <process> AS row, page.sort0 AS sort0, NULL AS found, NULL AS is_complete
FROM (
  SELECT rid, sort0
  FROM matches
  ORDER BY sort0 ASC, rid DESC
  LIMIT ?3 OFFSET ?4
) AS page
CROSS JOIN process ON process.rid = page.rid
UNION ALL
SELECT NULL, NULL, NULL, count(*),
CASE WHEN CASE WHEN (
  SELECT count(*)
  FROM following
) = ?3 THEN 1 ELSE NOT EXISTS (
  SELECT 1
  FROM (
    SELECT process.rid AS rid, process.rid AS sort0, 1 AS is_match
    FROM process INDEXED BY process_list
    WHERE process.proc = ?1
    ORDER BY process.rid ASC
    LIMIT 1 OFFSET ?2 - 1
  )
) END THEN count(*) >= ?3 OR (
  SELECT sort0 IS NULL
  FROM cut
) ELSE 0 END
FROM matches
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?5, '$', 'stale procedure'));

-- sorted in memory
-- ?1 = 1, ?2 = "a", ?3 = 10000, ?4 = 11, ?5 = 4
WITH chosen AS (
  SELECT 0 AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT *
      FROM (
        SELECT rid
        FROM (
          SELECT process.rid AS rid, 1 AS is_match, process.updated_at AS sort0
          FROM process INDEXED BY process_s1
          WHERE process.proc = ?1 AND process.s1 = ?2
          ORDER BY process.rid DESC
          LIMIT ?3
        )
        WHERE is_match AND 1
        ORDER BY sort0 ASC NULLS LAST, rid DESC
        LIMIT -1
      )
      LIMIT ?4
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, process.updated_at AS sort0, json_array_length(matches) AS found, index_scan, CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_s1
  WHERE process.proc = ?1 AND process.s1 = ?2
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?3 - 1
) END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?5, '$', 'stale procedure'));

-- sorted in memory by two fields, next page by cursor
-- ?1 = "$.\"due\"", ?2 = 1, ?3 = "a", ?4 = 40960000, ?5 = 10000, ?6 = 2, ?7 = 7168000000000000, ?8 = 11, ?9 = 4
WITH chosen AS (
  SELECT 0 AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT *
      FROM (
        SELECT rid
        FROM (
          SELECT process.rid AS rid, 1 AS is_match, process.status AS sort0, CASE json_type(process.data, ?1) WHEN 'text' THEN substr(process.data->>?1, 1, 1000) WHEN 'array' THEN NULL WHEN 'object' THEN NULL ELSE process.data->>?1 END AS sort1
          FROM process INDEXED BY process_s1
          WHERE process.proc = ?2 AND process.s1 = ?3
          ORDER BY process.rid DESC
          LIMIT (
            SELECT iif(EXISTS (
              SELECT 1
              FROM process INDEXED BY process_large
              WHERE process.proc = ?2 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
            ),
(
              SELECT iif(max(bytes) <= ?4, ?5, max(1, count(*) FILTER (WHERE bytes <= ?4)))
              FROM (
                SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
                FROM (
                  SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
                  FROM process INDEXED BY process_s1
                  WHERE process.proc = ?2 AND process.s1 = ?3
                  ORDER BY process.rid DESC
                  LIMIT ?5
                )
              )
            ),
?5)
          )
        )
        WHERE is_match AND (sort0 > ?6 OR sort0 IS NULL OR (sort0 = ?6 AND (sort1 IS NULL AND rid < ?7)))
        ORDER BY sort0 ASC NULLS LAST, sort1 ASC NULLS LAST, rid DESC
        LIMIT -1
      )
      LIMIT ?8
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, <process> AS row, process.status AS sort0, CASE json_type(process.data, ?1) WHEN 'text' THEN substr(process.data->>?1, 1, 1000) WHEN 'array' THEN NULL WHEN 'object' THEN NULL ELSE process.data->>?1 END AS sort1, json_array_length(matches) AS found, index_scan, CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_s1
  WHERE process.proc = ?2 AND process.s1 = ?3
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET (
    SELECT iif(EXISTS (
      SELECT 1
      FROM process INDEXED BY process_large
      WHERE process.proc = ?2 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
    ),
(
      SELECT iif(max(bytes) <= ?4, ?5, max(1, count(*) FILTER (WHERE bytes <= ?4)))
      FROM (
        SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (
          SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
          FROM process INDEXED BY process_s1
          WHERE process.proc = ?2 AND process.s1 = ?3
          ORDER BY process.rid DESC
          LIMIT ?5
        )
      )
    ),
?5)
  ) - 1
) END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?2
) = ?9, '$', 'stale procedure'));

-- sorted in memory, positions only, a range read whole
-- ?1 = 1, ?2 = 9, ?3 = 6000, ?4 = 510, ?5 = 10000, ?6 = 4
WITH range_scan AS (
  SELECT coalesce(max(is_end),
(
    SELECT process.rid
    FROM process INDEXED BY process_s2
    WHERE process.proc = ?1 AND process.s2 < ?2
    ORDER BY process.s2 DESC, process.rid DESC
    LIMIT 1
  ) IS NULL) AS is_complete, json_group_array(rid) FILTER (WHERE is_match AND 1) AS matches
  FROM (
    SELECT *
    FROM (
      SELECT *
      FROM (
        SELECT process.rid AS rid, 1 AS is_match, process.rid = (
          SELECT process.rid
          FROM process INDEXED BY process_s2
          WHERE process.proc = ?1 AND process.s2 < ?2
          ORDER BY process.s2 DESC, process.rid DESC
          LIMIT 1
        ) AS is_end, process.updated_at AS sort0
        FROM process INDEXED BY process_s2
        WHERE process.proc = ?1 AND process.s2 < ?2
        LIMIT ?3
      )
      WHERE is_match AND 1 OR is_end
      ORDER BY is_end DESC, sort0 ASC NULLS LAST, rid DESC
      LIMIT -1
    )
    LIMIT ?4 + 1
  )
),
chosen AS (
  SELECT CASE WHEN is_complete THEN -1 ELSE 0 END AS index_scan, matches
  FROM range_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN -1 THEN matches WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT *
      FROM (
        SELECT rid
        FROM (
          SELECT process.rid AS rid, CASE WHEN (process.s2 < ?2 AND process.s2 < '') THEN 1 ELSE 0 END AS is_match, process.updated_at AS sort0
          FROM process INDEXED BY process_list
          WHERE process.proc = ?1
          ORDER BY process.rid DESC
          LIMIT ?5
        )
        WHERE is_match AND 1
        ORDER BY sort0 ASC NULLS LAST, rid DESC
        LIMIT -1
      )
      LIMIT ?4
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, NULL AS row, process.updated_at AS sort0, json_array_length(matches) AS found, index_scan, CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_list
  WHERE process.proc = ?1
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET ?5 - 1
) END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?1
) = ?6, '$', 'stale procedure'));

-- the ids of all matches, for a job
-- ?1 = "$.\"score\"", ?2 = 5, ?3 = 1, ?4 = "a", ?5 = 40960000, ?6 = 10000, ?7 = 2000, ?8 = 4
WITH chosen AS (
  SELECT 0 AS index_scan
  LIMIT 1 OFFSET 0
),
found AS (
  SELECT index_scan, CASE index_scan WHEN 0 THEN (
    SELECT json_group_array(rid)
    FROM (
      SELECT rid
      FROM (
        SELECT process.rid AS rid, CASE WHEN CASE json_type(process.data, ?1) WHEN 'integer' THEN process.data->>?1 = ?2 WHEN 'real' THEN process.data->>?1 = ?2 WHEN 'array' THEN EXISTS (
          SELECT 1
          FROM json_each(process.data, ?1)
          WHERE CASE type WHEN 'integer' THEN value = ?2 WHEN 'real' THEN value = ?2 END
        ) END THEN 1 ELSE 0 END AS is_match
        FROM process INDEXED BY process_s1
        WHERE process.proc = ?3 AND process.s1 = ?4
        ORDER BY process.rid DESC
        LIMIT (
          SELECT iif(EXISTS (
            SELECT 1
            FROM process INDEXED BY process_large
            WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
          ),
(
            SELECT iif(max(bytes) <= ?5, ?6, max(1, count(*) FILTER (WHERE bytes <= ?5)))
            FROM (
              SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
              FROM (
                SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
                FROM process INDEXED BY process_s1
                WHERE process.proc = ?3 AND process.s1 = ?4
                ORDER BY process.rid DESC
                LIMIT ?6
              )
            )
          ),
?6)
        )
      )
      WHERE is_match
      LIMIT ?7
    )
  ) END AS matches
  FROM chosen
  LIMIT 1 OFFSET 0
)
SELECT process.rid AS rid, process.id AS row, json_array_length(matches) AS found, index_scan, CASE WHEN json_array_length(matches) < ?7 THEN CASE index_scan WHEN 0 THEN (
  SELECT process.rid AS rid
  FROM process INDEXED BY process_s1
  WHERE process.proc = ?3 AND process.s1 = ?4
  ORDER BY process.rid DESC
  LIMIT 1 OFFSET (
    SELECT iif(EXISTS (
      SELECT 1
      FROM process INDEXED BY process_large
      WHERE process.proc = ?3 AND length(process.data) + 512 * ifnull(process.longest_list, 0) > 4096
    ),
(
      SELECT iif(max(bytes) <= ?5, ?6, max(1, count(*) FILTER (WHERE bytes <= ?5)))
      FROM (
        SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (
          SELECT process.rid AS rid, length(process.data) + 512 * ifnull(process.longest_list, 0) AS bytes
          FROM process INDEXED BY process_s1
          WHERE process.proc = ?3 AND process.s1 = ?4
          ORDER BY process.rid DESC
          LIMIT ?6
        )
      )
    ),
?6)
  ) - 1
) END END AS boundary
FROM found
LEFT JOIN json_each(matches) AS page
LEFT JOIN process ON process.rid = page.value
LIMIT json_extract(-1, iif((
  SELECT procedure.version
  FROM procedure
  WHERE procedure.no = ?3
) = ?8, '$', 'stale procedure'));
