import { visible } from '../../../edge/browser/log-entry.js';

/** The longest text that is kept, in characters. */
const LONGEST = 1_000;

/** A stranger’s text as one line that can be stored and acts on nothing. */
export function oneLine(text: string): string {
  const line = visible(text.slice(0, LONGEST + 1).replace(/\s/g, ' ')).trim();
  return (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line).toWellFormed();
}
