import { Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { Caller } from '../../../kernel/command-context.js';
import { ActorNames } from '../../sites/api/actor-names.js';
import { SiteLogEntries } from '../site-log/site-log-entries.js';
import { type AskedLogs, buildLogFilter, readLogLimit } from './logs-query.js';
import { readActor, type ShownLogEntry, shownEntry } from './shown-entry.js';

const COLUMNS = [
  'id',
  'at',
  'kind',
  'level',
  'message',
  'method',
  'path',
  'status',
  'hits',
  'bytes',
  'ms',
  'referrer',
  'client',
  'visitor',
  'type',
  'deployId',
  'jobId',
] as const satisfies readonly (keyof ShownLogEntry)[];

const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** Formats a log entry as a line of CSV (RFC 4180). */
const csvLine = (entry: ShownLogEntry): string => `${COLUMNS.map((column) => cell(entry[column])).join(',')}\r\n`;

/**
 * Matches values that a spreadsheet could interpret as a formula, or whose first character could end a cell of a CSV
 * file.
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Formats a value as a cell of a CSV file. An apostrophe marks a value that looks like a formula as text. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = String(value);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Maximum number of entries in a CSV export. */
export const MAX_READ_LINES = 100_000;
/** Number of entries per read for a CSV export. */
const PORTION = 500;

export type LogEntryPage = {
  readonly items: readonly ShownLogEntry[];
  readonly limit: number;
  readonly next: string | null;
};

@Injectable()
export class SiteLogReader {
  constructor(
    private readonly entries: SiteLogEntries,
    private readonly urls: ServiceUrls,
    private readonly names: ActorNames,
  ) {}

  /**
   * Returns a page of log entries with the names of users that the caller can see. A page may be short or empty
   * although more entries follow; check `next`.
   */
  async page(siteId: string, caller: Caller, asked: AskedLogs): Promise<LogEntryPage> {
    const limit = readLogLimit(asked);
    const { entries, reached } = await this.entries.newest(siteId, buildLogFilter(asked), {
      ...boundsOf(asked),
      limit,
    });
    const { actor } = await this.names.of(
      siteId,
      caller,
      entries.flatMap((entry) => readActor(entry) ?? []),
    );
    const items = entries.map((entry) => shownEntry(entry, this.urls.baseUrl, actor));
    return { items, limit, next: reached === null ? null : String(reached) };
  }

  /** Yields the log as CSV, up to 100,000 entries. Entries are read in portions as they are needed. */
  async *csv(siteId: string, asked: AskedLogs): AsyncGenerator<string> {
    yield CSV_HEADER;
    let bounds = boundsOf(asked);
    for (let left = asked.limit ?? MAX_READ_LINES; left > 0; ) {
      const limit = Math.min(left, PORTION);
      const { entries, reached } = await this.entries.newest(siteId, buildLogFilter(asked), { ...bounds, limit });
      left -= entries.length;
      if (entries.length > 0) yield entries.map((entry) => csvLine(shownEntry(entry, this.urls.baseUrl))).join('');
      if (reached === null) return;
      bounds = { ...bounds, before: reached };
    }
  }
}

const boundsOf = ({ before, after }: AskedLogs) => ({
  ...(before !== undefined && { before: Number(before) }),
  ...(after !== undefined && { after: Number(after) }),
});
