import type { ShownLogEntry } from './shown-entry.js';

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

/** Header of a CSV. */
export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** Formats an entry as a line of CSV (RFC 4180). */
export const csvLine = (entry: ShownLogEntry): string =>
  `${COLUMNS.map((column) => cell(entry[column])).join(',')}\r\n`;

/** A cell that begins with one of these could be read by a spreadsheet as a formula or as the end of a cell. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Prefixes text that could run as a formula with an apostrophe, which marks it as text in spreadsheets. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = String(value);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
