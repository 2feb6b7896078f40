import { z } from 'zod';
import { NO_NUL, namesWithCommas } from '../../../http/api/schemas/texts.js';
import { logKinds, logLevels } from '../../../tables/traffic/site-log/log-entry.js';
import type { LogFilter, StatusRange } from '../../../tables/traffic/site-log/log-filter.js';

const MOST = 500;
const USUAL = 100;
const LONGEST_PATH = 1_024;
const LONGEST_TEXT = 200;

const time = z.iso.datetime({ offset: true, error: 'is not a time such as 2026-11-20T10:54:00Z (RFC 3339)' });
const id = z.string().regex(/^\d{1,15}$/, 'is not the id of an entry: digits');
const text = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest, `has more than ${longest} characters`)
    .regex(NO_NUL, 'holds a character that no entry has (U+0000)');

const status = z
  .string()
  .regex(/^[1-5](\d\d|xx)(,[1-5](\d\d|xx)){0,19}$/, 'is neither a status such as 404 nor a class such as 4xx')
  .transform((given) => given.split(',').map(rangeOf));

function rangeOf(given: string): StatusRange {
  const first = Number(given.replace('xx', '00'));
  return given.endsWith('xx') ? [first, first + 99] : [first, first];
}

const filters = {
  kind: namesWithCommas(logKinds)
    .optional()
    .meta({ description: `One of ${logKinds.join(', ')}; or several, with commas between.` }),
  level: namesWithCommas(logLevels)
    .optional()
    .meta({ description: `One of ${logLevels.join(', ')}; or several, with commas between.` }),
  status: status
    .optional()
    .meta({ description: 'Requests that were answered so: `404`, `4xx`, or several with commas.' }),
  path: text(LONGEST_PATH).optional().meta({ description: 'Requests whose path begins so.' }),
  q: text(LONGEST_TEXT)
    .optional()
    .meta({ description: 'A text that the message has; letters from a to z in either case.' }),
  since: time.optional().meta({ description: 'Nothing before this time (RFC 3339).' }),
  until: time.optional().meta({ description: 'Only what is before this time (RFC 3339).' }),
};

/** What is asked of a log. What is not known is refused: a filter that is misspelt would show too much. */
export const LogsQuery = z
  .strictObject({
    ...filters,
    before: id.optional().meta({ description: 'A page of entries older than the one with this id.' }),
    after: id.optional().meta({ description: 'Entries newer than the one with this id; a stream goes on behind it.' }),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MOST)
      .optional()
      .meta({
        description: `Entries in a page, or those that a stream begins with: 1 to ${MOST}, ${USUAL} without it.`,
      }),
  })
  .refine(({ since, until }) => since === undefined || until === undefined || Date.parse(since) <= Date.parse(until), {
    path: ['until'],
    error: 'is before since',
  });

export type AskedLogs = z.output<typeof LogsQuery>;

export const limitOf = ({ limit = USUAL }: AskedLogs) => limit;

export const filterOf = ({ kind, level, status, path, q, since, until }: AskedLogs): LogFilter => ({
  ...(kind && { kind }),
  ...(level && { level }),
  ...(status && { status }),
  ...(path !== undefined && { path }),
  ...(q !== undefined && { q }),
  ...(since !== undefined && { since }),
  ...(until !== undefined && { until }),
});
