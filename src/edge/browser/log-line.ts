import { html, joined, type Markup } from './markup.js';
import { type StyledText, styledText } from './sgr.js';

export type LogLine = {
  readonly n: number;
  readonly stream: 'stdout' | 'stderr';
  /** May contain escape sequences for terminal colours. */
  readonly text: string;
};

export type LogChunk = { readonly step: string; readonly lines: readonly LogLine[] };

/** Renders lines of a job's log as list items. If their step differs from `stepBefore`, the step's name comes first. */
export const logChunk = ({ step, lines }: LogChunk, stepBefore: string): Markup =>
  joined([...(step === stepBefore ? [] : [html`<li class="step">${step}</li>`]), ...lines.map(logLine)]);

export const logLine = ({ n, stream, text }: LogLine): Markup =>
  html`<li id="L${n}"${stream === 'stderr' ? ERROR : null}><a href="#L${n}" tabindex="-1">${n}</a><code>${joined(styledText(text).map(piece))}</code></li>`;

const ERROR = html` class="err"`;

const piece = ({ text, classes }: StyledText): Markup =>
  classes === '' ? html`${text}` : html`<span class="${classes}">${text}</span>`;
