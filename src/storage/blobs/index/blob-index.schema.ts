/**
 * `blobs.touched` is the last time a deploy used the content. `damaged` content can still be read but does not count
 * as stored, so the next deploy that contains it stores it again.
 *
 * `packs` has a row for each pack from before the pack is created until after its bytes are removed. The collector
 * ignores packs without a row. `written` is the time at which rows of `blobs` were last added. A retired pack gets no
 * more rows.
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
