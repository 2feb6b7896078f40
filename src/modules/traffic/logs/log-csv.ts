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

/** The first line of a CSV. */
export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** An entry as a line of CSV (RFC 4180). */
export const csvLine = (entry: ShownLogEntry): string =>
  `${COLUMNS.map((column) => cell(entry[column])).join(',')}\r\n`;

/** What a spreadsheet may take for a formula, or for the end of the cell, if a cell begins with it. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Text that would be run as a formula gets an apostrophe in front, which spreadsheets take as “this is text”. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = String(value);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
