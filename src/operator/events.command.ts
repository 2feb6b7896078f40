import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isChained } from '../events/catalogue.js';
import { progressBar } from '../process/start/progress-bar.js';
import { readSettings } from '../settings.js';
import type { WholeLog } from '../store/whole-log.js';
import { type Copying, copyLog } from './copy-log.js';
import { openLog } from './open-log.js';
import { statsOf } from './stats-of-log.js';

const USAGE = `npm run events -- copy --from URL --to URL
npm run events -- stats [--from URL]

  copy      copies the whole log to another store, exactly as it stands, and compares both at the end, event by event
            and chain by chain. Stop the service first. A copy that was interrupted is taken up by the same command.
            The destination must be empty or hold a beginning of the same log.
            Afterwards set EVENTSTORE_URL (or unset it, or set DATABASE_URL) and start the service: it makes its
            read models anew from the log where it is now.
  stats     counts events and streams, by type, with their bytes and the first and the last of them.
            Works beside a running service.

  URL is postgres://…, esdb://… or kurrentdb://… (with +discover for a cluster; of several services that share one
  each has a ?streamPrefix=… of its own), or the word embedded for the database in STELE_DATA. Without --from, stats
  reads the log that the service uses.

  0  done
  1  not done: a store does not answer, or the destination holds something else
  2  copied, but the hashes of a stream do not follow from its events, in the source already
  64 not understood
`;

const say = (message: string) => void process.stderr.write(`${message}\n`);
const show = (message: string) => void process.stdout.write(`${message}\n`);
const whole = new Intl.NumberFormat('en');

const settings = readSettings(process.env);
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort(new Error('Interrupted; the same command goes on from here.')));
process.once('SIGTERM', () => stopping.abort(new Error('Ended; the same command goes on from here.')));

type LogPlaces = { readonly from: string | undefined; readonly to: string | undefined };

/** Undefined when the arguments do not say what to do. */
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
        `${whole.format(events)} events of ${whole.format(streams)} streams are there now, ${whole.format(alreadyThere)} were before.`,
      );
      show(
        `Both logs are equal, byte for byte; ${whole.format(chains - broken.size)} of ${whole.format(chains)} hash chains hold.`,
      );
      for (const [stream, revision] of broken)
        show(`  ${stream} is broken at its event ${revision}, in the source too`);
      return broken.size === 0 ? 0 : 2;
    }),
  );
}

async function stats({ from, to }: LogPlaces): Promise<number | undefined> {
  if (to !== undefined) return undefined;
  return withLog(from ?? settings.eventStoreUrl ?? settings.databaseUrl ?? 'embedded', true, async (log) => {
    const { events, streams, bytes, types, first, last } = await statsOf(log, stopping.signal);
    stopping.signal.throwIfAborted();
    show(log.description);
    show(`${whole.format(events)} events in ${whole.format(streams)} streams, ${whole.format(bytes)} bytes of data`);
    if (first && last) {
      show(`first  ${first.at}  ${first.type}  ${first.id}  position ${first.position}`);
      show(`last   ${last.at}  ${last.type}  ${last.id}  position ${last.position}`);
    }
    for (const [type, sum] of types)
      show(`${whole.format(sum.events).padStart(12)}  ${whole.format(sum.bytes).padStart(16)} bytes  ${type}`);
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
  comparing: 'compared with what is there already',
  copying: 'copied',
  checking: 'compared, chains computed',
};

function teller() {
  const bar = progressBar();
  const began = performance.now();
  return ({ phase, events, position, last }: Copying) => {
    const part = last === 0n ? 1 : Math.min(1, Number(position) / Number(last));
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    const isLast = phase === 'checking' && position === last;
    bar({ part, phase, isLast, text: `${whole.format(events)} events ${WORDS[phase]}, ${seconds} s` });
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
