import { columnText } from './column-text.js';

const SPECIAL = /[\\\n\r\t]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value in COPY's text format (PostgreSQL's documentation, COPY, "Text Format"). Throws for what no column takes. */
export function copyText(value: unknown): string {
  if (typeof value !== 'string') return columnText(value) ?? '\\N';
  return SPECIAL.test(value) ? value.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? '') : value;
}
