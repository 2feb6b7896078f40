import { visible } from '../../../edge/browser/log-entry.js';

/** Maximum length of a stored text, in characters. */
const LONGEST = 1_000;

/** Converts untrusted text to one line that is safe to store and display. */
export function oneLine(text: string): string {
  const line = visible(text.slice(0, LONGEST + 1).replace(/\s/g, ' ')).trim();
  return (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line).toWellFormed();
}
