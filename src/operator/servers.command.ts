import type pg from 'pg';
import { formatBytes } from '../kernel/output/quantities.js';
import { ServerLeases } from '../modules/servers/api/server-leases.js';
import { SiteLogEntries } from '../modules/traffic/site-log/site-log-entries.js';
import { readSettings } from '../settings/settings.js';
import { CommandStop } from './command-stop.js';

const USAGE = `npm run servers -- list
npm run servers -- stop <slug>
npm run servers -- logs <slug>

  list   lists the site servers: crashed servers first, then running, then sleeping
  stop   puts the server of a site to sleep; the next visitor starts it again
  logs   shows the last output and state changes of the server, oldest first

  Can be used while the service is running, also with the embedded database.

  0  done
  1  failed: the database cannot be reached, or the site has no running server
  64 invalid arguments
`;

const LINES = 200;

const stopping = new CommandStop({ message: 'Interrupted.', waits: false });
const say = (message: string) => void process.stderr.write(`${message}\n`);
const print = (line: string) => void process.stdout.write(`${line}\n`);

async function list(leases: ServerLeases): Promise<number> {
  const rows = await leases.list();
  print(['SLUG', 'STATE', 'SINCE', 'KIND', 'MEMORY', 'USES', 'STARTS', 'START', 'DEPLOY', 'REASON'].join('\t'));
  for (const row of rows) {
    const { slug, state, since, kind, memoryBytes, uses, starts, startMs, deployId, reason } = row;
    const start = startMs === null ? '-' : `${startMs} ms`;
    const cells = [
      slug,
      state,
      since.toISOString(),
      kind,
      memoryBytes === null ? '-' : formatBytes(memoryBytes),
      uses,
      starts,
      start,
      deployId,
    ];
    print([...cells, reason ?? ''].join('\t'));
  }
  return 0;
}

async function stop(leases: ServerLeases, slug: string): Promise<number> {
  if ((await leases.askToStop(slug)) > 0) return 0;
  say(`The site “${slug}” has no running server.`);
  return 1;
}

async function logs(pool: pg.Pool, leases: ServerLeases, slug: string): Promise<number> {
  const row = (await leases.list()).find((each) => each.slug === slug);
  if (!row) {
    say(`No server found for the site “${slug}”.`);
    return 1;
  }
  const { entries } = await new SiteLogEntries(pool, false).newest(row.siteId, { kind: ['server'] }, { limit: LINES });
  for (const entry of entries.toReversed())
    if (entry.kind !== 'access') print(`${entry.at} ${entry.level.padEnd(5)} ${entry.message}`);
  return 0;
}

async function run(command: string, slug: string): Promise<number> {
  const { dataFolder, databaseUrl } = readSettings(process.env);
  const database = await stopping.openDatabase({
    url: databaseUrl,
    dataFolder,
    announce: 'npm run servers',
    beside: true,
    log: say,
  });
  try {
    const leases = new ServerLeases(database.pool);
    if (command === 'list') return await list(leases);
    return command === 'stop' ? await stop(leases, slug) : await logs(database.pool, leases, slug);
  } finally {
    await database.close();
  }
}

const [, , command = '', slug = ''] = process.argv;
if (command === 'list' || ((command === 'stop' || command === 'logs') && slug !== '')) {
  run(command, slug).then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      say(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    },
  );
} else {
  say(USAGE);
  process.exitCode = command === '' || command === '--help' ? 0 : 64;
}
