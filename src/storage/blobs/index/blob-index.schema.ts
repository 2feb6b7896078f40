/**
 * `blobs` has one row for each piece of content, written after its record was synced. `touched` is the time at which a
 * deploy last relied on the content. `damaged` content can still be read but does not count as stored, so the next
 * deploy that contains it stores it again.
 *
 * `packs` has one row for each pack. The row is added before the pack is created and removed after the pack’s bytes are
 * removed. A pack without a row was not created under this index, so the collector ignores it. `written` is the time at
 * which rows of `blobs` were last added for the pack. None are added for a retired pack.
 */
export const indexSchema = `
  create table if not exists packs (
    id uuid primary key,
    written timestamptz not null,
    retired_at timestamptz
  );
  create table if not exists blobs (
    digest bytea primary key,
    pack uuid not null,
    start bigint not null,
    length bigint not null,
    touched timestamptz not null,
    damaged boolean not null default false
  ) with (fillfactor = 80);
  create index if not exists blobs_pack on blobs (pack, start);
`;
