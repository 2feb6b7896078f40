import { z } from 'zod';
import { NO_NUL, namesWithCommas } from '../../../edge/http/api/schemas/texts.js';
import { plural } from '../../../kernel/output/quantities.js';
import { logKinds, logLevels } from '../api/log-entry.js';
import type { LogFilter, StatusRange } from '../site-log/log-filter.js';

const MAX_LIMIT = 500;
const USUAL = 100;
const MAX_PATH_CHARACTERS = 1_024;
const MAX_TEXT_CHARACTERS = 200;

const time = z.iso.datetime({ offset: true, error: 'must be a time in RFC 3339 format, such as 2026-11-20T10:54:00Z' });
const id = z.string().regex(/^\d{1,15}$/, 'must be the ID of an entry (digits only)');
const text = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest, `must have at most ${plural(longest, 'character')}`)
    .regex(NO_NUL, 'must not contain NUL characters (U+0000)');

const status = z
  .string()
  .regex(
    /^[1-5](\d\d|xx)(,[1-5](\d\d|xx)){0,19}$/,
    'must be one or more statuses such as 404 or classes such as 4xx, separated by commas',
  )
  .transform((given) => given.split(',').map(rangeOf));

function rangeOf(given: string): StatusRange {
  const first = Number(given.replace('xx', '00'));
  return given.endsWith('xx') ? [first, first + 99] : [first, first];
}

const filters = {
  kind: namesWithCommas(logKinds)
    .optional()
    .meta({ description: `Entry kinds, separated by commas: ${logKinds.join(', ')}.` }),
  level: namesWithCommas(logLevels)
    .optional()
    .meta({ description: `Entry levels, separated by commas: ${logLevels.join(', ')}.` }),
  status: status
    .optional()
    .meta({ description: 'Response statuses or classes, separated by commas, such as `404` or `4xx`.' }),
  path: text(MAX_PATH_CHARACTERS).optional().meta({ description: 'Prefix of the request path.' }),
  q: text(MAX_TEXT_CHARACTERS)
    .optional()
    .meta({ description: 'Text that the message must contain. The search ignores the case of ASCII letters.' }),
  since: time.optional().meta({ description: 'Only entries at or after this time (RFC 3339).' }),
  until: time.optional().meta({ description: 'Only entries before this time (RFC 3339).' }),
};

/** Unknown query parameters are refused, because a misspelled filter would return too many entries. */
export const LogsQuery = z
  .strictObject({
    ...filters,
    before: id.optional().meta({ description: 'Returns entries older than the one with this ID.' }),
    after: id
      .optional()
      .meta({ description: 'Returns entries newer than the one with this ID. A stream resumes after it.' }),
    color: z
      .enum(['0', '1'], { error: 'must be 1 or 0' })
      .optional()
      .meta({ description: 'Whether to include terminal colours in plain-text output. Defaults to 0.' }),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_LIMIT)
      .optional()
      .meta({
        description: `Number of entries on a page or at the start of a stream, from 1 to ${MAX_LIMIT}. Defaults to ${USUAL}.`,
      }),
  })
  .refine(({ since, until }) => since === undefined || until === undefined || Date.parse(since) <= Date.parse(until), {
    path: ['until'],
    error: 'must not be before `since`',
  });

export type AskedLogs = z.output<typeof LogsQuery>;

export const readLogLimit = ({ limit = USUAL }: AskedLogs) => limit;

export const buildLogFilter = ({ kind, level, status, path, q, since, until }: AskedLogs): LogFilter => ({
  ...(kind && { kind }),
  ...(level && { level }),
  ...(status && { status }),
  ...(path !== undefined && { path }),
  ...(q !== undefined && { q }),
  ...(since !== undefined && { since }),
  ...(until !== undefined && { until }),
});
