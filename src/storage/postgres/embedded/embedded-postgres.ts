import { lutimes, mkdtemp, rm, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import { prepareData, prepareFolder } from './data-folder.js';
import { asEmbeddedPostgresError } from './embedded-postgres-error.js';
import { waitEnded } from './ignored-fault.js';
import { packageBinaries } from './package-binaries.js';
import { PostgresOutput } from './postgres-output.js';
import { reachableBinaries } from './reachable-binaries.js';
import { runningServer } from './running-server.js';
import { serverAccount } from './server-account.js';
import { type Server, startPostgres, stopServer } from './server-process.js';
import { ServerSession } from './server-session.js';

/** Maximum length of `sun_path` without its NUL: unix(7) on Linux, unix(4) on macOS. */
const longest = process.platform === 'darwin' ? 103 : 107;

/** A folder to use as `host` of a connection. Its path is short enough for a socket address. */
type SocketFolder = {
  readonly path: string;
  /** Prevents cleanup programs from removing the folder as an old temporary file. */
  refresh(): Promise<void>;
  remove(): Promise<void>;
};

/** Returns the data folder, which contains the socket. If its path is too long, returns a temporary link to it. */
async function socketFolder(data: string): Promise<SocketFolder> {
  if (fits(data)) return { path: data, refresh: async () => {}, remove: async () => {} };

  const temporary = fits(join(tmpdir(), 'stele-socket-123456', 'data')) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(temporary, 'stele-socket-'));
  const path = join(folder, 'data');
  await symlink(data, path);
  return {
    path,
    refresh: async () => {
      const now = new Date();
      await lutimes(path, now, now);
      await utimes(folder, now, now);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const fits = (folder: string) => Buffer.byteLength(join(folder, '.s.PGSQL.5432')) <= longest;

export type EmbeddedPostgres = {
  /** Options for a Unix socket connection to the database `stele`. They remain valid if the server restarts. */
  readonly connection: ClientConfig & { readonly host: string };
  /** True if the server was already running: a killed process left it behind, or another process uses it. */
  readonly adopted: boolean;
  /** Shuts the server down within about four seconds, unless another process uses it. */
  stop(): Promise<void>;
  /**
   * Like `stop`, but takes about a second, and can be called while `stop` is running. The next start may have to
   * recover from the write-ahead log.
   */
  stopNow(): Promise<void>;
};

const database = 'stele';
const minute = 60_000;
const longestPause = 10_000;
/** Timeout in milliseconds for asking a busy server whether another process uses it. */
const saysWithin = 500;

export const isPostgresRunning = async (folder: string): Promise<boolean> =>
  (await runningServer(join(resolve(folder), 'data'))) !== null;

/**
 * Runs a private PostgreSQL server in `folder`, using the programs that npm installed. Creates its data on the first
 * start (0.7 s), starts the server if it is not running (0.1 s), and restarts it if it crashes. `log` receives messages
 * for the operator.
 *
 * Throws an `EmbeddedPostgresError` whose message says what to do. Several processes can use the same folder; the last
 * process stops the server. If `signal` is aborted during the start, stops everything and throws the signal’s reason.
 */
export async function startEmbeddedPostgres({
  folder,
  log,
  maxConnections = 100,
  signal = new AbortController().signal,
}: {
  folder: string;
  log: (message: string) => void;
  /** Maximum number of connections. Has no effect if the server is already running. */
  maxConnections?: number;
  signal?: AbortSignal | undefined;
}): Promise<EmbeddedPostgres> {
  const home = resolve(folder);
  try {
    return await start(home, log, maxConnections, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw asEmbeddedPostgresError(error, home);
  }
}

async function start(
  home: string,
  log: (message: string) => void,
  maxConnections: number,
  signal: AbortSignal,
): Promise<EmbeddedPostgres> {
  const data = join(home, 'data');
  await prepareFolder(home);
  const account = await serverAccount(data);
  const binaries = await reachableBinaries(await packageBinaries(), account, home);
  signal.throwIfAborted();
  await prepareData(data, binaries, account, signal);
  const server = { data, binaries, account, log: new PostgresOutput(join(home, 'postgres.log')), maxConnections };

  const { adopted } = await startPostgres(server, signal);
  const sockets = await socketFolder(data);
  const connection = { host: sockets.path, port: 5432, user: 'postgres', database, ssl: false };
  try {
    const session = await ServerSession.open(connection, database, signal);
    const embedded = new EmbeddedServer(server, sockets, connection, log, session);
    return { connection, adopted, stop: () => embedded.stop(), stopNow: () => embedded.stopNow() };
  } catch (error) {
    await sockets.remove();
    if (!adopted) await stopServer(server);
    throw error;
  }
}

class EmbeddedServer {
  private readonly stopping = new AbortController();
  private readonly watched: Promise<void>;
  private readonly tidying: NodeJS.Timeout;
  private stopped: Promise<void> | undefined;
  /** True if the last cleanup failed. Prevents the failure from being logged every minute. */
  private isUntidy = false;

  constructor(
    private readonly server: Server,
    private readonly sockets: SocketFolder,
    private readonly connection: ClientConfig,
    private readonly log: (message: string) => void,
    private session: ServerSession | null,
  ) {
    this.watched = this.watch();
    this.tidying = setInterval(() => this.tidy(), minute).unref();
  }

  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  async stopNow(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.tidying);
    const isLast = await Promise.race([
      this.session?.isLast().catch(() => true) ?? true,
      delay(saysWithin, true, { ref: false }),
    ]);
    if (isLast) await stopServer(this.server, true);
  }

  private async end() {
    this.stopping.abort();
    clearInterval(this.tidying);
    // Waits for a start in progress. Otherwise, the start would leave a running server behind.
    if (!this.session) await this.watched;
    const isLast = (await this.session?.isLast().catch(() => true)) ?? true;
    if (isLast) await stopServer(this.server);
    await this.session?.close();
    await this.watched;
    await this.sockets.remove();
  }

  private async watch() {
    while (!this.stopping.signal.aborted) {
      await this.session?.ended;
      if (this.stopping.signal.aborted) return;
      this.session = null;
      this.log('PostgreSQL has stopped and is being restarted.');
      await this.startAgain();
    }
  }

  private async startAgain() {
    for (let pause = 100; !this.stopping.signal.aborted; pause = Math.min(2 * pause, longestPause)) {
      await delay(pause, undefined, { signal: this.stopping.signal }).catch(waitEnded);
      if (this.stopping.signal.aborted) return;
      try {
        await startPostgres(this.server, this.stopping.signal);
        this.session = await ServerSession.open(this.connection, database, this.stopping.signal);
        this.log('PostgreSQL is running again.');
        return;
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        this.log(error instanceof Error ? error.message : String(error));
      }
    }
  }

  private async tidy() {
    try {
      await Promise.all([this.server.log.bound(), this.sockets.refresh()]);
      this.isUntidy = false;
    } catch (error) {
      if (!this.isUntidy) this.log(`Could not truncate PostgreSQL's log or refresh its sockets: ${error}`);
      this.isUntidy = true;
    }
  }
}
