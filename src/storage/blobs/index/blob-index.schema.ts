/**
 * `blobs`: one row for each content. Its record was synced before the row was written. `touched` says when a deploy
 * last counted on it. A `damaged` one is still found by readers but no longer counts as there, so that the next deploy
 * that brings the content stores it again.
 *
 * `packs`: one row for each pack, written before the pack is created and removed after its bytes: a pack without a row
 * was not made under this index, and the collector leaves it alone. `written` is when rows last came to point to it. A
 * retired pack gets no rows any more.
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
