import { colourOf, entryLine, skippedWords } from '../../../edge/browser/log-entry.js';
import type { EventText } from '../../../edge/live/live-stream.js';

const RESET = '\u001b[0m';
const DIM = '\u001b[2m';

/** Formats a site's log for a terminal, one entry per line, in columns. */
export const logText: EventText = (event, data) => {
  if (event === 'skipped') return `${DIM}${skippedWords(data)}${RESET}\n`;
  const { time, tag, text, more } = entryLine(data);
  const colour = sequenceOf(colourOf(tag, data.level));
  return `${DIM}${time}${RESET}  ${colour}${tag.padEnd(6)}${colour && RESET}  ${text}${more && `  ${DIM}${more}${RESET}`}\n`;
};

/** Converts the CSS classes of a colour to a terminal sequence. */
function sequenceOf(classes: string | null): string {
  if (classes === null) return '';
  const [colour = '', weight] = classes.split(' ');
  const number = Number(colour.slice(1));
  const code = number < 8 ? 30 + number : 82 + number;
  return `\u001b[${weight === undefined ? '' : '1;'}${code}m`;
}
