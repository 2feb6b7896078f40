import { html, type Markup } from '../../browser/markup.js';
import { webPage } from './web-page.js';

/** What the page of something that goes on is made of. */
export type LogPageParts = {
  readonly title: string;
  /** How many lines there are before those of the log. */
  readonly before: number;
  /** Of our own modules for browsers: `/assets/{script}.js`. */
  readonly script: string;
  /** How it stands, in one line. */
  readonly state: Markup;
  /** What can be done about it, beside following it. */
  readonly controls: Markup | null;
  /** Between the line that says how it stands and the log. */
  readonly about: Markup;
  /** Items of the log’s list. */
  readonly log: Markup;
  /** The step of the last line. */
  readonly step: string;
  readonly isOver: boolean;
};

/** A page that shows a log: whole as it stands, and alive where scripts run. */
export const logPage = ({ title, before, script, state, controls, about, log, step, isOver }: LogPageParts): string =>
  webPage(
    title,
    html`<link rel="stylesheet" href="/assets/log.css">
<script type="module" src="/assets/${script}.js"></script>
<div class="bar"><p id="state" role="status">${state}</p>
<p id="link" class="soft" role="status"></p>
<div class="controls"><button type="button" id="follow" class="quiet" hidden>Pause</button>
${controls}</div></div>
${about}
${before > 0 ? leftOut(before) : null}
<ol class="log" aria-label="Log" data-step="${step}">${log}</ol>
${isOver ? null : html`<noscript><p><a href="">Reload</a> to see what has come since.</p></noscript>`}`,
  );

const leftOut = (lines: number): Markup =>
  html`<p id="left-out" class="soft">${lines} ${lines === 1 ? 'line' : 'lines'} before these are not shown. <button type="button" id="earlier" class="link" hidden>Show them</button></p>`;
