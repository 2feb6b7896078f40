import { plainText } from '../../../edge/browser/sgr.js';
import type { EventText } from '../../../edge/live/live-stream.js';
import { terminalText } from '../../../kernel/output/terminal-text.js';

const BOLD = '\u001b[1m';
const RESET = '\u001b[0m';

/** Formats a job's log for a terminal: coloured lines under the names of their steps, and the outcome. */
export const jobText: EventText = (event, data) => {
  switch (event) {
    case 'job.queued':
      return data.again === undefined ? 'Waiting to start\n' : 'The worker stopped; the job was queued again\n';
    case 'job.step':
      return stepText(data);
    case 'job.log':
      return data.lines.map(({ text }: { readonly text: string }) => lineText(text)).join('');
    case 'job.stop-requested':
      return 'Stopping\n';
    case 'job.stopped':
      return data.error
        ? `\n${BOLD}Stopped:${RESET} ${terminalText(data.error.message)}\n`
        : `\n${BOLD}Stopped${RESET}\n`;
    case 'job.succeeded':
      return `\n${BOLD}Online:${RESET} ${data.url}\n`;
    case 'job.failed':
      return `\n${BOLD}Failed:${RESET} ${terminalText(data.error.message)}\n`;
    default:
      return '';
  }
};

/** Formats a job like `jobText`, but without colour codes, which browsers would show. */
export const plainJobText: EventText = (event, data) => jobText(event, data).split('\n').map(plainText).join('\n');

function stepText({ step, status }: { readonly step: string; readonly status: string }): string {
  if (status === 'running') return `\n${BOLD}${step}${RESET}\n`;
  return status === 'succeeded' ? '' : `${step}: ${status}\n`;
}

/** Keeps file names in the log from controlling the terminal, and ends colours with their line. */
function lineText(text: string): string {
  const line = terminalText(text);
  return line.includes('\u001b') ? `${line}${RESET}\n` : `${line}\n`;
}
