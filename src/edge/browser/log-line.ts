import { html, joined, type Markup } from './markup.js';
import { type StyledText, styledText } from './sgr.js';

export type LogLine = {
  /** Counted from 1; `#L12` leads to it. */
  readonly n: number;
  readonly stream: 'stdout' | 'stderr';
  /** With colours as terminals have them, and whatever else the program printed. */
  readonly text: string;
};

/** What a job said in one step. */
export type LogChunk = { readonly step: string; readonly lines: readonly LogLine[] };

/** The lines as items of a list, under the name of their step where that is another than the one before. */
export const logChunk = ({ step, lines }: LogChunk, stepBefore: string): Markup =>
  joined([...(step === stepBefore ? [] : [html`<li class="step">${step}</li>`]), ...lines.map(logLine)]);

export const logLine = ({ n, stream, text }: LogLine): Markup =>
  html`<li id="L${n}"${stream === 'stderr' ? ERROR : null}><a href="#L${n}" tabindex="-1">${n}</a><code>${joined(styledText(text).map(piece))}</code></li>`;

const ERROR = html` class="err"`;

const piece = ({ text, classes }: StyledText): Markup =>
  classes === '' ? html`${text}` : html`<span class="${classes}">${text}</span>`;
