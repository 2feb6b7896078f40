import { plural } from '../../../kernel/output/quantities.js';
import { html, type Markup } from '../../browser/markup.js';
import { webPage } from './web-page.js';

export type LogPageParts = {
  readonly title: string;
  /** Number of lines that precede those in `log`. */
  readonly before: number;
  /** Name of the page’s script, which is served as `/assets/{script}.js`. */
  readonly script: string;
  readonly state: Markup;
  /** Buttons in addition to the one for following the log. */
  readonly controls: Markup | null;
  /** Content between the state and the log. */
  readonly about: Markup;
  /** The log as list items. */
  readonly log: Markup;
  /** The build step that the last line belongs to. */
  readonly step: string;
  readonly isOver: boolean;
};

export const renderFollowedLog = ({
  title,
  before,
  script,
  state,
  controls,
  about,
  log,
  step,
  isOver,
}: LogPageParts): string =>
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
${isOver ? null : html`<noscript><p><a href="">Reload</a> the page to see new lines.</p></noscript>`}`,
  );

const leftOut = (lines: number): Markup =>
  html`<p id="left-out" class="soft">${plural(lines, 'earlier line')} not shown. <button type="button" id="earlier" class="link" hidden>Show earlier lines</button></p>`;
