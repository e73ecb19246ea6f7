-- What an engine sums for pdiff: for each run, event and function its own weight and the weight of the stacks that it is in.
--
-- Tables: runs, samples, stacks, frames, functions, each all Parquet files below the directory of that name. A stack, frame or
-- function that several runs have is in the files of each of them, so rows are made distinct before they are joined. A run
-- counts when it has rows in runs; samples without them are of a run that was not finished. run_weight is what self_weight
-- sums to in each run and event: `pdiff compare --sums` refuses sums that do not. inlined_frames is 0 for a run of which no inlined
-- functions are known: compared with runs that have some, it makes gates inconclusive.
WITH
    names AS (
        SELECT DISTINCT function_id, object, qualified_name FROM functions
    ),
    places AS (
        SELECT DISTINCT frame_id, function_id FROM frames
    ),
    steps AS (
        SELECT DISTINCT stack_id, position, frame_id FROM stacks
    ),
    levels AS (
        SELECT s.stack_id, s.position, n.object, n.qualified_name
        FROM steps s
        JOIN places p ON p.frame_id = s.frame_id
        JOIN names n ON n.function_id = p.function_id
    ),
    leaves AS (
        SELECT stack_id, MAX(position) AS position FROM levels GROUP BY stack_id
    ),
    members AS (
        SELECT
            l.stack_id,
            l.object,
            l.qualified_name,
            MAX(CASE WHEN l.position = e.position THEN 1 ELSE 0 END) AS is_leaf
        FROM levels l
        JOIN leaves e ON e.stack_id = l.stack_id
        GROUP BY l.stack_id, l.object, l.qualified_name
    ),
    weights AS (
        SELECT run_id, event, stack_id, SUM(weight) AS weight, SUM(samples) AS samples
        FROM samples
        GROUP BY run_id, event, stack_id
    )
SELECT
    r.service,
    r.build,
    r.host,
    r.day,
    r.run_id,
    r.event,
    m.object,
    m.qualified_name,
    CAST(SUM(CASE WHEN m.is_leaf = 1 THEN w.weight ELSE 0 END) AS BIGINT) AS self_weight,
    CAST(SUM(w.weight) AS BIGINT) AS total_weight,
    CAST(SUM(CASE WHEN m.is_leaf = 1 THEN w.samples ELSE 0 END) AS BIGINT) AS self_samples,
    r.weight AS run_weight,
    r.samples AS run_samples,
    r.inlined_frames
FROM runs r
JOIN weights w ON w.run_id = r.run_id AND w.event = r.event
JOIN members m ON m.stack_id = w.stack_id
GROUP BY r.service, r.build, r.host, r.day, r.run_id, r.event, m.object, m.qualified_name, r.weight, r.samples,
    r.inlined_frames
ORDER BY r.service, r.build, r.host, r.day, r.run_id, r.event, m.object, m.qualified_name
