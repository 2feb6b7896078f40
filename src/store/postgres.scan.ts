import type { Pool } from 'pg';
import type { Catalogue } from '../events/event-type.js';
import type { Actor, Recorded } from '../kernel/event-store.js';

/** Events and bytes of data in one answer: enough to make the round trip cheap, few enough to be held twice. */
const PAGE = 2_000;
const PAGE_BYTES = 4 * 1024 * 1024;

/** Between fields and between events. Canonical JSON, ids and names hold no control characters. */
const FIELD = '\x1f';
const EVENT = '\x1e';

/** A page in one value: one string to split costs this process a fifth of what eleven columns for each event do. */
const SCAN = {
  name: 'events_scan',
  text: `
    select max(position)::text, string_agg(
      position || e'\\x1f' || stream || e'\\x1f' || revision || e'\\x1f' || id || e'\\x1f' || type || e'\\x1f' || schema
        || e'\\x1f' || at || e'\\x1f' || actor || e'\\x1f' || data || e'\\x1f' || coalesce(hash, '')
        || e'\\x1f' || coalesce(previous_hash, ''), e'\\x1e' order by position)
    from (
      select *, sum(octet_length(data)) over (order by position) - octet_length(data) as before
      from (select * from events where position > $1 and position <= $2 order by position limit ${PAGE}) next
    ) page
    where before < ${PAGE_BYTES}`,
  rowMode: 'array' as const,
};

type Page = [last: string | null, events: string | null];

/** What `EventStore.scan` promises. The next page is under way while one is being worked on. */
export async function* scan(
  pool: Pool,
  catalogue: Catalogue,
  after: bigint,
  last: bigint,
  signal: AbortSignal,
): AsyncIterable<readonly Recorded[]> {
  const ask = async (position: string) =>
    (await pool.query<Page>({ ...SCAN, values: [position, String(last)] })).rows[0] ?? [null, null];

  let asked = ask(String(after));
  // Nobody may be waiting for it when it fails: who reads on is told.
  asked.catch(() => undefined);
  for (;;) {
    const [reached, events] = await asked;
    if (reached === null || events === null || signal.aborted) return;
    asked = ask(reached);
    asked.catch(() => undefined);
    yield events.split(EVENT).map((event) => new Scanned(catalogue, event.split(FIELD)));
    if (signal.aborted) return;
  }
}

/** Of a page's text these are slices, which would keep the whole page in memory for as long as one of them is kept. */
const own = (text = '') => ` ${text}`.slice(1);

/** An event whose JSON is parsed when somebody asks for it. */
class Scanned implements Recorded {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly schema: number;
  readonly at: string;
  readonly stored: string;
  readonly hash: string | null;
  readonly previousHash: string | null;
  readonly #catalogue: Catalogue;
  readonly #actor: string;
  #data: unknown;
  #isRead = false;

  constructor(catalogue: Catalogue, fields: readonly string[]) {
    const [position = '', stream, revision, id, type, schema, at, actor, data, hash, previousHash] = fields;
    this.#catalogue = catalogue;
    this.position = BigInt(position);
    this.stream = own(stream);
    this.revision = Number(revision);
    this.id = own(id);
    this.type = own(type);
    this.schema = Number(schema);
    this.at = own(at);
    this.#actor = actor ?? '';
    this.stored = data ?? '';
    this.hash = own(hash) || null;
    this.previousHash = own(previousHash) || null;
  }

  get actor(): Actor {
    return JSON.parse(this.#actor);
  }

  get data(): unknown {
    if (!this.#isRead) {
      this.#data = this.#catalogue.read(this.type, JSON.parse(this.stored), this.schema);
      this.#isRead = true;
    }
    return this.#data;
  }
}
