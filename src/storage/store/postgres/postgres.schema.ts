/** Notification channel for new events. The payload is the position of the batch’s last event. */
export const CHANNEL = 'stele_events';

/** Advisory lock for appends. Makes positions visible in the order in which they were assigned. */
export const APPEND_LOCK = 7301;

/** Advisory lock for creating the schema: `if not exists` can fail if two processes start at the same time. */
export const SCHEMA_LOCK = 7302;

/**
 * Table of snapshots (the folded states of long streams). It is in PostgreSQL even if the events are stored elsewhere.
 */
export const SNAPSHOTS = `
create table if not exists snapshots (
  stream       text collate "C" not null,
  fold         text    not null,
  fold_version integer not null,
  revision     integer not null,
  hash         text,
  state        text    not null, -- JSON
  primary key (stream, fold)
);`;

/**
 * Creates all tables and functions of the event store. Can be run again, even while processes of the previous version
 * are running.
 */
export const SCHEMA = `
create table if not exists events (
  position      bigint generated always as identity primary key,
  stream        text collate "C" not null,
  revision      integer     not null,
  id            text        not null,
  type          text        not null,
  schema        integer     not null, -- version of the type's schema that \`data\` has
  at            text        not null, -- exactly as hashed
  actor         text        not null, -- canonical JSON
  data          text        not null, -- canonical JSON; not jsonb, which changes the hashed bytes and rejects \\u0000
  hash          text,
  previous_hash text,
  recorded_at   timestamptz not null default now(),
  xid           xid8        not null default pg_current_xact_id(),
  unique (stream, revision)
);

${SNAPSHOTS}

-- Appends events to several streams. Every array has one element per event, in order. Returns the positions of the
-- appended events, and the refused streams: their revision differs from \`heads\`, or their last event is not the one
-- that the first new event links to. Without \`heads\`, only the unique key is checked, and a conflict in one stream
-- fails the whole batch. A function, because each of its statements takes a snapshot after the lock is granted; a single
-- statement would take it before. Subscripts are faster than unnest, because PL/pgSQL expands each array once. Without
-- force_generic_plan, planning would take a third of the time of an append.
create or replace function append_batch(
  streams text[], heads integer[], revisions integer[], ids text[], types text[], schemas integer[],
  ats text[], actors text[], datas text[], hashes text[], previous_hashes text[],
  rings boolean, out positions bigint[], out refused text[]
)
language plpgsql set plan_cache_mode = force_generic_plan as $append$
begin
  perform pg_advisory_xact_lock(${APPEND_LOCK});

  refused := '{}';
  if cardinality(heads) > 0 then
    refused := array(
      select streams[first]
      from generate_series(1, cardinality(streams)) first
      left join lateral (
        select e.revision, e.hash from events e
        where e.stream = streams[first] and e.revision >= heads[first]
        order by e.revision desc limit 1
      ) standing on true
      where revisions[first] = heads[first] + 1
        and (heads[first] <> coalesce(standing.revision, 0) or previous_hashes[first] is distinct from standing.hash)
    );
  end if;

  with added as (
    insert into events (stream, revision, id, type, schema, at, actor, data, hash, previous_hash)
    select
      streams[n], revisions[n], ids[n], types[n], schemas[n], ats[n], actors[n], datas[n], hashes[n], previous_hashes[n]
    from generate_series(1, cardinality(streams)) n
    where streams[n] <> all (refused)
    order by n
    returning position
  )
  select coalesce(array_agg(position), '{}') from added into positions;

  if rings and cardinality(positions) > 0 then
    perform pg_notify('${CHANNEL}', lastval()::text);
  end if;
end
$append$;
`;

/**
 * Appends one event in half the time of `append_batch`. The parameters are the columns in order, and whether to
 * notify.
 */
const insertOne = (condition: string) => `
with locked as materialized (select pg_advisory_xact_lock(${APPEND_LOCK}))
insert into events (stream, revision, id, type, schema, at, actor, data, hash, previous_hash)
select $1, $2::integer, $3, $4, $5, $6, $7, $8, $9, $10::text
from locked ${condition}
returning position, case when $11 then pg_notify('${CHANNEL}', position::text) end`;

export const NOTIFY_LAST_APPENDED = `select pg_notify('${CHANNEL}', lastval()::text)`;

/**
 * Appends to a stream whose previous event certainly exists. If the stream has grown since, its unique key rejects the
 * new event.
 */
export const APPEND_KNOWN = insertOne('');

/**
 * Appends to a stream whose previous event has to be checked. The statement’s snapshot is older than its lock. If
 * another process appended in between, the unique key therefore rejects the event (23505), and `append_batch` has to
 * check again. If the snapshot does not contain the previous event, nothing is appended. The caller treats this as a
 * conflict, although another process may have appended the previous event since.
 */
export const APPEND_ONE = insertOne(`left join lateral (
  select revision, hash from events where stream = $1 and revision >= $2::integer - 1 order by revision desc limit 1
) standing on true
where coalesce(standing.revision, 0) = $2::integer - 1 and standing.hash is not distinct from $10::text`);
