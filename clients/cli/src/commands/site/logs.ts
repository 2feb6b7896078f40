import { read, type Schemas } from 'stele-api/client';
import { followStream } from 'stele-api/streams/follow-stream';
import { type CommandDefinition, parseCountUpTo } from '../../command-line/command.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import { formatSecond } from '../../output/quantities.js';
import { oneLine } from '../../output/table.js';

type LogEntry = Schemas['LogEntry'];
type Options = SiteOptions & {
  readonly follow?: boolean;
  readonly limit: number;
  readonly kind?: string;
  readonly level?: string;
  readonly status?: string;
  readonly search?: string;
};

export const logs: CommandDefinition = {
  usage: 'logs [site]',
  summary: 'show the log of a site: its requests, deploys, builds and server',
  examples: [
    ['stele logs --follow', 'shows the last entries, and new ones as they arrive'],
    ['stele logs my-site --status 4xx --json', 'prints failed requests as lines of JSON'],
  ],
  configure: (command) =>
    addSiteOption(command)
      .option('--follow', 'continue to show new entries')
      .option('--limit <count>', 'the number of past entries, up to 500', parseCountUpTo(500), 100)
      .option('--kind <kinds>', 'only these kinds, separated by commas: access, deploy, job, server, system')
      .option('--level <levels>', 'only these levels, separated by commas: info, warn, error')
      .option('--status <statuses>', 'only requests with this status, such as 404 or 5xx')
      .option('--search <text>', 'only entries that contain this text'),
  run: async (session, [name], options: Options) => {
    const { stele, slug, params } = await connectToSite(session, options, name);
    const { follow, kind, level, status, search } = options;
    const query = {
      limit: options.limit,
      ...(kind && { kind }),
      ...(level && { level }),
      ...(status && { status }),
      ...(search && { q: search }),
    };
    const show = (entry: LogEntry) => session.output.line(entry, formatEntry(entry));
    if (follow) {
      const events = followStream(stele, `/v1/sites/${slug}/logs`, { query, signal: session.signal });
      for await (const { event, data } of events) if (event !== 'skipped' && data) show(data as LogEntry);
      return;
    }
    const page = (await read(
      stele.api.GET('/v1/sites/{slug}/logs', { params: { ...params, query: query as never } }),
    )) as {
      items: LogEntry[];
    };
    for (const entry of page.items.toReversed()) show(entry);
  },
};

const formatEntry = ({ at, level, kind, message }: LogEntry) =>
  `${formatSecond(at)}  ${level.padEnd(5)}  ${kind.padEnd(6)}  ${oneLine(message)}`;

export const watch: CommandDefinition = {
  usage: 'watch [site]',
  summary: 'show changes to a site as they happen',
  examples: [
    ['stele watch', 'shows deploys, rollbacks and other changes to the site of this folder'],
    ['stele watch my-site --json', 'prints every event as a line of JSON'],
  ],
  configure: addSiteOption,
  run: async (session, [name], options: SiteOptions) => {
    const { stele, slug, params } = await connectToSite(session, options, name);
    const { revision } = await read(stele.api.GET('/v1/sites/{slug}', { params }));
    session.output.note(session.output.paint('dim', `Watching ${slug}. Press Ctrl-C to stop.`));
    const events = followStream(stele, `/v1/sites/${slug}/events`, { after: revision, signal: session.signal });
    for await (const event of events) {
      const { at = '', summary = event.event } = (event.data ?? {}) as { at?: string; summary?: string };
      session.output.line(event, `${formatSecond(at)}  ${oneLine(summary)}`);
    }
  },
};
