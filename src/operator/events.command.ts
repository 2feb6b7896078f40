import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { isChained } from '../events/catalogue.js';
import { formatNumber, plural } from '../kernel/output/quantities.js';
import { progressBar } from '../process/start/progress-bar.js';
import { readSettings } from '../settings/settings.js';
import { KurrentLog } from '../storage/store/kurrent/kurrent.log.js';
import { PostgresLog } from '../storage/store/postgres/postgres.log.js';
import type { PositionedEvent, WholeLog } from '../storage/store/whole-log.js';
import { CommandStop } from './command-stop.js';
import { type Copying, copyLog } from './copy-log.js';

class UnknownPlaceError extends Error {
  override readonly name = 'UnknownPlaceError';
}

type LogOptions = {
  readonly dataFolder: string;
  /** True if a service may be using the data folder at the same time. */
  readonly beside: boolean;
  readonly say: (message: string) => void;
};

/**
 * Opens the log at a `postgres://…`, `esdb://…` or `kurrentdb://…` URL, or the log in the data folder for `embedded`.
 * Throws `UnknownPlaceError`, whose message omits the address because it might contain a password.
 */
async function openLog(address: string, { dataFolder, beside, say }: LogOptions): Promise<WholeLog> {
  if (address === 'embedded') {
    const announce = 'npm run events';
    const database = await stopping.openDatabase({
      url: null,
      dataFolder,
      announce,
      ...(beside && { beside }),
      log: say,
    });
    return new PostgresLog(database.pool, database.description, () => database.close());
  }
  if (/^postgres(ql)?:\/\//.test(address)) {
    const connection = parseIntoClientConfig(address);
    const pool = new pg.Pool({
      ...connection,
      max: 2,
      connectionTimeoutMillis: 5_000,
      application_name: 'stele events',
    });
    pool.on('error', () => undefined); // The next query opens a new connection.
    const place = `${connection.host ?? 'localhost'}:${connection.port ?? 5432}/${connection.database ?? ''}`;
    return new PostgresLog(pool, `PostgreSQL at ${place}`, () => pool.end());
  }
  if (/^(esdb|kurrentdb)(\+discover)?:\/\//.test(address))
    return new KurrentLog(address, (text) => hash('sha256', text));
  throw new UnknownPlaceError(
    'Use a postgres://…, esdb://… or kurrentdb://… URL, or “embedded” for the database in STELE_DATA.',
  );
}

type Sum = { readonly events: number; readonly bytes: number };

type LogStats = Sum & {
  readonly streams: number;
  /** Event types, most frequent first. */
  readonly types: readonly (readonly [type: string, sum: Sum])[];
  readonly first: PositionedEvent | undefined;
  readonly last: PositionedEvent | undefined;
};

/** Computes the statistics of a log. Event data is counted as bytes of UTF-8, without the engine's own overhead. */
async function computeLogStats(log: WholeLog, signal: AbortSignal): Promise<LogStats> {
  const types = new Map<string, { events: number; bytes: number }>();
  const streams = new Set<string>();
  let [events, bytes] = [0, 0];
  let first: PositionedEvent | undefined;
  let last: PositionedEvent | undefined;
  for await (const list of log.after(0n, signal)) {
    first ??= list[0];
    last = list.at(-1);
    for (const { type, stream, data } of list) {
      const size = Buffer.byteLength(data);
      const sum = types.get(type) ?? { events: 0, bytes: 0 };
      types.set(type, { events: sum.events + 1, bytes: sum.bytes + size });
      streams.add(stream);
      events++;
      bytes += size;
    }
  }
  const byFrequency = [...types].sort(([, a], [, b]) => b.events - a.events);
  return { events, bytes, streams: streams.size, types: byFrequency, first, last };
}

const USAGE = `npm run events -- copy --from URL --to URL
npm run events -- stats [--from URL]

  copy      copies the whole log to another store unchanged, then compares both event by event and chain by
            chain. Stop the service first. To continue an interrupted copy, run the same command again.
            The destination must be empty or contain the beginning of the same log.
            Afterwards set EVENTSTORE_URL (or unset it, or set DATABASE_URL) and start the service, which rebuilds its
            read models from the copied log.
  stats     shows the number of events and streams, the events and bytes of each type, and the first and last event.
            Can be used while the service is running.

  URL is postgres://…, esdb://… or kurrentdb://… (with +discover for a cluster; services that share one database
  each have their own ?streamPrefix=…), or the word “embedded” for the database in STELE_DATA. Without --from, stats
  reads the log that the service uses.

  0  done
  1  failed: a store is not responding, or the destination contains a different log
  2  copied, but the hashes of a stream do not match its events, in the source as well
  64 invalid arguments
`;

const say = (message: string) => void process.stderr.write(`${message}\n`);
const show = (message: string) => void process.stdout.write(`${message}\n`);

const settings = readSettings(process.env);
const stopping = new CommandStop({ message: 'Interrupted. Run the same command again to continue.', waits: true });

type LogPlaces = { readonly from: string | undefined; readonly to: string | undefined };

/** Returns the exit code, or undefined if the arguments are invalid. */
async function copy({ from, to }: LogPlaces): Promise<number | undefined> {
  if (from === undefined || to === undefined || from === to) return undefined;
  return withLog(from, false, (source) =>
    withLog(to, false, async (destination) => {
      const digest = (text: string) => hash('sha256', text);
      say(`From ${source.description} to ${destination.description}`);
      const { events, alreadyThere, streams, chains, broken } = await copyLog(
        source,
        destination,
        { digest, isChained },
        teller(),
        stopping.signal,
      );
      show(
        `The destination has ${plural(events, 'event')} in ${plural(streams, 'stream')}; ${formatNumber(alreadyThere)} of them were already there.`,
      );
      show(
        `Both logs are identical. ${formatNumber(chains - broken.size)} of ${plural(chains, 'hash chain')} are valid.`,
      );
      for (const [stream, revision] of broken)
        show(`  The hash chain of ${stream} is broken at event ${revision}, in the source as well`);
      return broken.size === 0 ? 0 : 2;
    }),
  );
}

async function stats({ from, to }: LogPlaces): Promise<number | undefined> {
  if (to !== undefined) return undefined;
  return withLog(from ?? settings.eventStoreUrl ?? settings.databaseUrl ?? 'embedded', true, async (log) => {
    const { events, streams, bytes, types, first, last } = await computeLogStats(log, stopping.signal);
    stopping.signal.throwIfAborted();
    show(log.description);
    show(`${plural(events, 'event')} in ${plural(streams, 'stream')}, ${plural(bytes, 'byte')} of data`);
    if (first && last) {
      show(`first  ${first.at}  ${first.type}  ${first.id}  position ${first.position}`);
      show(`last   ${last.at}  ${last.type}  ${last.id}  position ${last.position}`);
    }
    for (const [type, sum] of types)
      show(`${formatNumber(sum.events).padStart(12)}  ${formatNumber(sum.bytes).padStart(16)} bytes  ${type}`);
    return 0;
  });
}

async function withLog<Result>(
  address: string,
  beside: boolean,
  work: (log: WholeLog) => Promise<Result>,
): Promise<Result> {
  const log = await openLog(address, { dataFolder: settings.dataFolder, beside, say });
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

const WORDS = {
  comparing: 'compared with the destination',
  copying: 'copied',
  checking: 'verified',
};

function teller() {
  const bar = progressBar();
  const began = performance.now();
  return ({ phase, events, position, last }: Copying) => {
    const part = last === 0n ? 1 : Math.min(1, Number(position) / Number(last));
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    const isLast = phase === 'checking' && position === last;
    bar({ part, phase, isLast, text: `${plural(events, 'event')} ${WORDS[phase]}, ${seconds} s` });
  };
}

function read() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { from: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean' } },
    });
    return {
      verb: values.help ? '' : (positionals[0] ?? ''),
      rest: positionals.slice(1),
      from: values.from,
      to: values.to,
    };
  } catch {
    return null;
  }
}

const commands = new Map([
  ['copy', copy],
  ['stats', stats],
]);

const asked = read();
const command = asked && asked.rest.length === 0 ? commands.get(asked.verb) : undefined;
const outcome = asked && command ? command(asked) : Promise.resolve(undefined);
outcome.then(
  (code) => {
    if (code === undefined) say(USAGE);
    process.exitCode = code ?? (asked?.verb === '' ? 0 : 64);
  },
  (error) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);
