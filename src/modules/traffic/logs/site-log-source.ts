import { Injectable } from '@nestjs/common';
import type { LiveSource, SourceItem } from '../../../edge/live/live-source.js';
import type { LogEntry } from '../api/log-entry.js';
import { type LogFilter, passes } from '../site-log/log-filter.js';
import { SiteLogEntries } from '../site-log/site-log-entries.js';
import { SiteLogFeed } from '../site-log/site-log-feed.js';
import { rightsTypes } from './rights-types.js';

/**
 * Maximum number of earlier entries that a stream can start with. A new ring buffer is filled with this many entries.
 */
const RING_BEGINS_WITH = 500;

/** A log entry with its position. If `entry` is null, no further entry up to this position matches the filter. */
export type LogItem = SourceItem & { readonly entry: LogEntry | null };

export const logStream = (siteId: string, filter: LogFilter) => `log-${siteId} ${JSON.stringify(filter)}`;

function namedIn(stream: string): { readonly siteId: string; readonly filter: LogFilter } {
  const space = stream.indexOf(' ');
  return { siteId: stream.slice('log-'.length, space), filter: JSON.parse(stream.slice(space + 1)) };
}

@Injectable()
export class SiteLogSource implements LiveSource<LogItem> {
  constructor(
    private readonly entries: SiteLogEntries,
    private readonly feed: SiteLogFeed,
  ) {}

  async read(stream: string) {
    const { siteId, filter } = namedIn(stream);
    const revision = await this.entries.end();
    const { reached } = await this.entries.newest(siteId, filter, { before: revision + 1, limit: RING_BEGINS_WITH });
    return { head: { revision, start: reached === null ? 0 : reached - 1 } };
  }

  async page(stream: string, after: number, limit: number): Promise<readonly LogItem[]> {
    const { siteId, filter } = namedIn(stream);
    const end = await this.entries.end();
    const { entries, reached } = await this.entries.oldest(siteId, filter, { after, limit });
    const items = entries.map(itemOf);
    const last = Math.max(reached ?? end, after);
    return last > (items.at(-1)?.revision ?? after) ? [...items, nothingUpTo(last)] : items;
  }

  async *watch(stream: string, after: number, signal: AbortSignal): AsyncGenerator<readonly LogItem[]> {
    const { siteId, filter } = namedIn(stream);
    for await (const entries of this.feed.watch(siteId, after, signal)) {
      yield entries
        .map(itemOf)
        .filter((item, at) => passes(filter, item.entry) || at === entries.length - 1 || rightsTypes.has(item.type));
    }
  }
}

const itemOf = (entry: LogEntry) => ({
  revision: entry.id,
  type: entry.kind === 'access' ? '' : (entry.type ?? ''),
  entry,
});

const nothingUpTo = (revision: number): LogItem => ({ revision, type: '', entry: null });
