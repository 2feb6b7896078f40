import { onStopRequests } from '../process/start/stop-signals.js';
import { type Database, openDatabase } from '../storage/postgres/open-database.js';

type CommandDatabaseOptions = Omit<Parameters<typeof openDatabase>[0], 'signal'>;

/** Exit code of a command that was stopped before its work was finished, as for a shell after SIGINT. */
const INTERRUPTED = 130;

/**
 * Stops a command when the operator asks for it. `signal` is aborted with a message for the operator. Call `opened` for
 * each database, so that it is stopped in any case.
 */
export class CommandStop {
  readonly #stopping = new AbortController();
  readonly #databases = new Set<Database>();
  readonly signal = this.#stopping.signal;

  /** With `waits`, the work watches `signal` and is cut only if the operator asks a second time. */
  constructor({ message, waits }: { readonly message: string; readonly waits: boolean }) {
    onStopRequests({
      stop: () => {
        this.#stopping.abort(new Error(message));
        if (!waits && this.#databases.size > 0) void this.#cut(message);
      },
      hurry: () => void this.#cut(message),
    });
  }

  /** Opens a database that is stopped when the command is. */
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
