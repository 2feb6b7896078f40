import type { Pool } from 'pg';
import type { Catalogue } from '../../../events/event-type.js';
import type { Actor, Recorded } from '../../../kernel/event-store.js';
import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import { COLUMNS } from './event-row.js';

/** Maximum events per response. It is high enough to make the round trip negligible. Large events reduce it. */
const MAX_EVENTS = 500;
const PAGE_CHARACTERS = 4 * 1024 * 1024;

const SCAN = {
  name: 'events_scan',
  text: `select ${COLUMNS} from events where position > $1 and position <= $2 order by position limit $3`,
  // Reading rows as arrays takes half the time of reading them as objects.
  rowMode: 'array' as const,
};

type ScanRow = [
  position: string,
  stream: string,
  revision: number,
  id: string,
  type: string,
  schema: number,
  at: string,
  actor: string,
  data: string,
  hash: string | null,
  previousHash: string | null,
];

/** Implements `EventStore.scan`. Loads the next page while the caller processes the current one. */
export async function* scan(
  pool: Pool,
  catalogue: Catalogue,
  after: bigint,
  last: bigint,
  signal: AbortSignal,
): AsyncIterable<readonly Recorded[]> {
  let limit = 100;
  const ask = (position: string) => {
    const pending = pool.query<ScanRow>({ ...SCAN, values: [position, String(last), limit] });
    pending.catch(heardElsewhere);
    return pending;
  };

  for (let pending = ask(String(after)); !signal.aborted; ) {
    const { rows } = await pending;
    const [reached] = rows.at(-1) ?? [];
    if (reached === undefined || signal.aborted) return;
    const characters = rows.reduce((sum, row) => sum + row[8].length, 0);
    limit = Math.max(
      1,
      Math.min(MAX_EVENTS, 4 * limit, Math.floor((PAGE_CHARACTERS * rows.length) / (characters + 1))),
    );
    pending = ask(reached);
    yield rows.map((row) => new ScannedEvent(catalogue, row));
  }
}

/** An event whose JSON is parsed on first use. */
class ScannedEvent implements Recorded {
  static #lastActor: { readonly text: string; readonly actor: Actor } = { text: '', actor: { kind: 'system' } };
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

  constructor(catalogue: Catalogue, row: ScanRow) {
    this.#catalogue = catalogue;
    this.position = BigInt(row[0]);
    this.stream = row[1];
    this.revision = row[2];
    this.id = row[3];
    this.type = row[4];
    this.schema = row[5];
    this.at = row[6];
    this.#actor = row[7];
    this.stored = row[8];
    this.hash = row[9];
    this.previousHash = row[10];
  }

  get actor(): Actor {
    // Caches the last parsed actor, because consecutive events often have the same actor.
    if (ScannedEvent.#lastActor.text !== this.#actor) {
      ScannedEvent.#lastActor = { text: this.#actor, actor: JSON.parse(this.#actor) };
    }
    return ScannedEvent.#lastActor.actor;
  }

  get data(): unknown {
    if (!this.#isRead) {
      this.#data = this.#catalogue.read(this.type, JSON.parse(this.stored), this.schema);
      this.#isRead = true;
    }
    return this.#data;
  }
}
