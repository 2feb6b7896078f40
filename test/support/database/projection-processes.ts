import pg from 'pg';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { Checkpoints } from '../../../src/projections/projector/checkpoints.js';
import { Projector } from '../../../src/projections/projector/projector.js';
import { allReadModels } from '../../../src/projections/read-models.js';
import { Rebuilder } from '../../../src/projections/rebuild/rebuilder.js';
import { buildTableOptions, ofVersion } from '../../../src/projections/table-names.js';
import { EnduringClient } from '../../../src/storage/postgres/enduring-client.js';
import { MemoryStore } from '../eventstore/memory-store.js';
import { freshDatabase } from './test-database.js';

/** A log and a database of read models, for any number of projectors that behave as if in separate processes. */
export class ProjectionProcesses {
  readonly #processes: { stop(): Promise<void> }[] = [];

  private constructor(
    readonly store: MemoryStore,
    readonly config: pg.PoolConfig,
    readonly pool: pg.Pool,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(store = new MemoryStore()): Promise<ProjectionProcesses> {
    const { config, drop } = await freshDatabase();
    return new ProjectionProcesses(store, config, poolFor(config), drop);
  }

  /**
   * Starts a process with its own pool, and creates the tables of the models in `created`. The process updates read
   * models only after `keep` is called.
   */
  async process(patienceMs = 25_000, models = allReadModels, rowsInMemory = 50, created = models) {
    const pool = poolFor(this.config);
    const db = await typeOrm(this.config, models);
    const checkpoints = new Checkpoints(pool, models, patienceMs);
    const troubles: { readonly model: string; readonly error: unknown }[] = [];
    const projector = new Projector(this.store, pool, db, checkpoints, (model) => ({
      failed: (error) => void troubles.push({ model, error }),
      succeeded: () => undefined,
    }));
    const rebuilder = new Rebuilder(this.store, pool, db, models, rowsInMemory);
    const stopping = new AbortController();
    await projector.prepare(created);

    const started = {
      pool,
      db,
      checkpoints,
      projector,
      rebuilder,
      troubles,
      keep: () => projector.start(models, stopping.signal),
      stop: async () => {
        stopping.abort();
        await projector.stopped();
        if (db.isInitialized) await db.destroy();
        if (!pool.ended) await pool.end();
      },
    };
    this.#processes.push(started);
    return started;
  }

  async rows(): Promise<Record<string, unknown[]>> {
    const tables = await Promise.all(
      allReadModels.map(async ({ entity, version }) => {
        const { name = '' } = getMetadataArgsStorage().tables.find(({ target }) => target === entity) ?? {};
        const { rows } = await this.pool.query(`select * from ${ofVersion(name, version)}`);
        const [key = ''] = Object.keys(rows[0] ?? {});
        return [name, rows.sort((a, b) => (a[key] < b[key] ? -1 : 1))] as const;
      }),
    );
    return Object.fromEntries(tables);
  }

  async close() {
    await Promise.all(this.#processes.map((process) => process.stop()));
    await this.pool.end();
    await this.drop();
  }
}

export const typeOrm = (config: pg.PoolConfig, models = allReadModels) =>
  new DataSource({
    type: 'postgres',
    host: config.host ?? '',
    port: config.port ?? 5432,
    username: String(config.user),
    password: config.password as string,
    database: String(config.database),
    ...buildTableOptions(models),
  }).initialize();

function poolFor(config: pg.PoolConfig) {
  const pool = new pg.Pool({ ...config, max: 4, Client: EnduringClient });
  // Ignores errors of idle connections, as the product does.
  pool.on('error', () => undefined);
  return pool;
}
