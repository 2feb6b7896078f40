import type { Client } from 'pg';
import { catalogue } from '../../events/catalogue.js';
import type { EventStore, Recorded } from '../../kernel/event-store.js';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import type { Queryable } from '../../storage/postgres/queryable.js';
import type { AnyReadModel } from '../read-model.js';
import type { ReportProgress } from './rebuild-progress.js';
import type { RebuildSessions } from './rebuild-sessions.js';
import type { Rebuilds } from './rebuilds.js';
import { ShadowTable, UnappliableEventError } from './shadow-table.js';

const REPORT_MS = 500;

/**
 * Builds shadow tables from the event log. A shadow table is a new version of a read model's table that nothing reads
 * yet.
 */
export class ShadowLoader {
  constructor(
    private readonly store: EventStore,
    private readonly sessions: RebuildSessions,
    private readonly rebuilds: Rebuilds,
    private readonly rowsInMemory: number,
  ) {}

  /** Creates complete shadow tables from all events up to position `last`. Returns the position of the last event. */
  async fold(
    session: Client,
    models: readonly AnyReadModel[],
    state: 'building' | 'checking',
    shadows: ShadowTable[],
    last: bigint,
    signal: AbortSignal,
    { report, ...named }: { readonly models: readonly string[]; readonly report: ReportProgress },
  ): Promise<bigint> {
    const clients: Client[] = [];
    const changing = models.filter(({ appendOnly }) => !appendOnly).length;
    try {
      for (const model of models) {
        const client = await this.sessions.open();
        clients.push(client);
        const table = await this.rebuilds.begin(session, model, state);
        shadows.push(new ShadowTable(model, table, client, Math.floor(this.rowsInMemory / Math.max(1, changing))));
      }
      const tables = shadows.map(({ table }) => table);
      let position = 0n;
      let events = 0;
      let due = performance.now() + REPORT_MS;
      for await (const batch of this.store.scan(0n, last, signal)) {
        for (const event of batch) assertKnown(event);
        await Promise.all(shadows.map((shadow) => shadow.fold(batch)));
        position = batch.at(-1)?.position ?? position;
        events += batch.length;
        if (performance.now() < due) continue;
        due = performance.now() + REPORT_MS;
        await this.rebuilds.progress(session, tables, position, last, events);
        report({ ...named, phase: 'reading', position, last, events });
      }
      signal.throwIfAborted();
      await this.rebuilds.progress(session, tables, position, last, events);
      report({ ...named, phase: 'indexing', position, last, events });
      await Promise.all(shadows.map((shadow) => shadow.complete()));
      return position;
    } finally {
      await Promise.all(clients.map((client) => client.end().catch(alreadyGone)));
    }
  }

  /** Applies the events after position `after`, up to `last`, to a complete table. Throws `UnappliableEventError`. */
  async apply(db: Queryable, shadowTable: ShadowTable, after: bigint, last: bigint, signal: AbortSignal) {
    for await (const batch of this.store.scan(after, last, signal)) {
      for (const event of batch) assertKnown(event, shadowTable.model.name);
      await shadowTable.apply(db, batch);
    }
    signal.throwIfAborted();
  }
}

/**
 * Throws `UnappliableEventError` if this version of Stele does not know the event, because the model may depend on it.
 */
function assertKnown({ type, schema, position, stream }: Recorded, model = 'asked for') {
  if (catalogue.knows(type, schema) === 'known') return;
  const what = `this version of Stele does not know ${type} (schema version ${schema}, in ${stream})`;
  throw new UnappliableEventError(model, position, new Error(what));
}
