import { onStopRequests } from '../process/start/stop-signals.js';
import { type Database, openDatabase } from '../storage/postgres/open-database.js';

type CommandDatabaseOptions = Omit<Parameters<typeof openDatabase>[0], 'signal'>;

/** Exit code of an interrupted command, as in shells after SIGINT. */
const INTERRUPTED = 130;

/**
 * Stops a command when the process receives a signal. Aborts `signal` with a message for the operator. Databases opened
 * with `openDatabase` are stopped even if the process exits without waiting for the command.
 */
export class CommandStop {
  readonly #stopping = new AbortController();
  readonly #databases = new Set<Database>();
  readonly signal = this.#stopping.signal;

  /**
   * If `waits` is true, the command ends its own work when `signal` aborts. Otherwise, if the command has opened a
   * database, the process exits without waiting for the command. A second request to stop always ends the process this
   * way.
   */
  constructor({ message, waits }: { readonly message: string; readonly waits: boolean }) {
    onStopRequests({
      stop: () => {
        this.#stopping.abort(new Error(message));
        if (!waits && this.#databases.size > 0) void this.#cut(message);
      },
      hurry: () => void this.#cut(message),
    });
  }

  async openDatabase(options: CommandDatabaseOptions): Promise<Database> {
    const database = await openDatabase({ ...options, signal: this.signal });
    this.#databases.add(database);
    if (!this.signal.aborted) return database;
    await database.close();
    throw this.signal.reason;
  }

  async #cut(message: string): Promise<never> {
    process.stderr.write(`${message}\n`);
    await Promise.allSettled([...this.#databases].map((database) => database.abandon()));
    process.exit(INTERRUPTED);
  }
}
