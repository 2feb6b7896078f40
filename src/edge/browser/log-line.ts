import { html, joined, type Markup } from './markup.js';
import { type StyledText, styledText } from './sgr.js';

export type LogLine = {
  /** Line number, starting at 1. `#L12` links to line 12. */
  readonly n: number;
  readonly stream: 'stdout' | 'stderr';
  /** Can contain terminal colours, and anything else that the command printed. */
  readonly text: string;
};

/** Output that a job printed in one step. */
export type LogChunk = { readonly step: string; readonly lines: readonly LogLine[] };

/** Renders the lines as list items. The name of their step comes first if it differs from the previous one. */
export const logChunk = ({ step, lines }: LogChunk, stepBefore: string): Markup =>
  joined([...(step === stepBefore ? [] : [html`<li class="step">${step}</li>`]), ...lines.map(logLine)]);

export const logLine = ({ n, stream, text }: LogLine): Markup =>
  html`<li id="L${n}"${stream === 'stderr' ? ERROR : null}><a href="#L${n}" tabindex="-1">${n}</a><code>${joined(styledText(text).map(piece))}</code></li>`;

const ERROR = html` class="err"`;

const piece = ({ text, classes }: StyledText): Markup =>
  classes === '' ? html`${text}` : html`<span class="${classes}">${text}</span>`;
