import { Injectable, type OnModuleInit } from '@nestjs/common';
import { chooseColour, entryLine, skippedWords } from '../../../edge/browser/log-entry.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { EventText } from '../../../edge/live/live-stream.js';
import { LiveStreamServer } from '../../../edge/live/live-streams.js';
import { type SourcedStream, StreamSource } from '../../../edge/live/stream-source.js';
import { selectTypes } from '../../../events/event-type.js';
import { siteEvents } from '../../../events/site/site.events.js';
import type { Caller, IdentifyCaller } from '../../../kernel/command-context.js';
import { refuseInvalid, toFaults } from '../../../kernel/faults/schema-faults.js';
import { refuse } from '../../../kernel/refusal.js';
import { ActorNames, type KnownNames } from '../../sites/api/actor-names.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import type { LogEntry } from '../api/log-entry.js';
import { type LogFilter, passes } from '../site-log/log-filter.js';
import { type AskedLogs, buildLogFilter, LogsQuery, readLogLimit } from './logs-query.js';
import { rightsTypes } from './rights-types.js';
import { readActor, shownEntry } from './shown-entry.js';
import { type LogItem, logStream, SiteLogSource } from './site-log-source.js';

const RESET = '\u001b[0m';
const DIM = '\u001b[2m';

/** Formats a site's log for a terminal, one entry per line, in columns. */
const logText: EventText = (event, data) => {
  if (event === 'skipped') return `${DIM}${skippedWords(data)}${RESET}\n`;
  const { time, tag, text, more } = entryLine(data);
  const colour = sequenceOf(chooseColour(tag, data.level));
  return `${DIM}${time}${RESET}  ${colour}${tag.padEnd(6)}${colour && RESET}  ${text}${more && `  ${DIM}${more}${RESET}`}\n`;
};

/** Converts the CSS classes of a colour to a terminal escape sequence. */
function sequenceOf(classes: string | null): string {
  if (classes === null) return '';
  const [colour = '', weight] = classes.split(' ');
  const number = Number(colour.slice(1));
  const code = number < 8 ? 30 + number : 82 + number;
  return `\u001b[${weight === undefined ? '' : '1;'}${code}m`;
}

/**
 * Maximum number of different filters with which clients of one process can watch the log of a site at the same time.
 */
const MAX_FILTERS = 32;

const NO_FINAL_TYPES: ReadonlySet<string> = new Set();

const leavingTypes = selectTypes(siteEvents, 'removesPerson');

/** Live streams of site logs. Requires the same access as reading the site's history. */
@Injectable()
export class SiteLogStreams implements OnModuleInit {
  readonly #source: StreamSource<LogItem>;

  constructor(
    source: SiteLogSource,
    private readonly sites: SiteAccess,
    private readonly names: ActorNames,
    private readonly live: LiveStreamServer,
    private readonly urls: ServiceUrls,
  ) {
    this.#source = new StreamSource(source);
  }

  onModuleInit() {
    // Stream names have the form `log:{slug}`, optionally followed by a question mark and a query.
    this.live.resolver.offer('log', async (name, identify) => {
      const caller = await identify();
      const mark = name.indexOf('?');
      const slug = mark < 0 ? name : name.slice(0, mark);
      const { siteId } = await this.sites.getReadable(slug, { at: new Date().toISOString(), caller });
      return this.of(siteId, mark < 0 ? {} : askedIn(name.slice(mark + 1)), caller, identify);
    });
  }

  /**
   * Returns the live stream of a site's log. Refuses the parameter `before` with `invalid_request`, because it only
   * applies to pages.
   */
  async of(siteId: string, asked: AskedLogs, caller: Caller, identify: IdentifyCaller): Promise<SourcedStream> {
    if (asked.before !== undefined) refuseBefore();
    const filter = buildLogFilter(asked);
    const seesAddresses = (await this.sites.assertCanRead(siteId, caller)) === 'owner';
    return this.#source.of({
      stream: logStream(siteId, filter),
      finalTypes: NO_FINAL_TYPES,
      view: seesAddresses ? 'with addresses' : 'with names',
      frameOf: ({ entry }) => this.#frameOf(entry, filter),
      prepare: async (items) => {
        // Look up names once for all callers who have the same permission to see email addresses.
        const { actor } = await this.names.for(
          { seesAddresses, self: null, siteId: null },
          items.flatMap(({ entry }) => (entry && readActor(entry)) ?? []),
        );
        return ({ entry }) => this.#frameOf(entry, filter, actor);
      },
      outdates: leavingTypes,
      textOf: logText,
      rightsTypes,
      assertCanWatch: async () => {
        const role = await this.sites.assertCanRead(siteId, await identify());
        if (seesAddresses && role !== 'owner')
          refuse('forbidden', 'You are no longer an owner of this site. Reconnect to continue with fewer details.');
      },
      session: caller.userId ?? caller.editTokenHash,
      log: { newest: readLogLimit(asked), among: { name: siteId, most: MAX_FILTERS } },
    });
  }

  #frameOf(entry: LogEntry | null, filter: LogFilter, nameOf?: KnownNames['actor']) {
    if (!entry || !passes(filter, entry)) return null;
    return { event: entry.kind, data: shownEntry(entry, this.urls.baseUrl, nameOf) };
  }
}

function askedIn(query: string): AskedLogs {
  const asked = LogsQuery.safeParse(Object.fromEntries(new URLSearchParams(query)));
  if (asked.success) return asked.data;
  const faults = toFaults(asked.error.issues).map(({ path, message }) => ({
    path: 'stream',
    message: `has an invalid filter: \`${path}\` ${message}`,
  }));
  return refuseInvalid(...faults);
}

function refuseBefore(): never {
  return refuseInvalid({ path: 'before', message: 'must not be set for a stream, since it only applies to pages' });
}
