import { entryItem } from '../../../edge/browser/log-entry.js';
import { html, joined, type Markup } from '../../../edge/browser/markup.js';
import { renderFollowedLog } from '../../../edge/http/pages/log-page.js';
import { logKinds, logLevels } from '../api/log-entry.js';
import type { LogEntryPage } from './log-pages.js';

type SentQuery = Readonly<Record<string, string>>;

/** Renders the log of a site, oldest entry first. A script appends new entries, except on a page of older entries. */
export function renderSiteLogsPage(slug: string, given: SentQuery, { items, next }: LogEntryPage): string {
  const { before, after: _, limit: __, ...filters } = given;
  const isOld = before !== undefined;
  const path = `/sites/${slug}/logs`;
  const last = items[0]?.id ?? given.after ?? '0';
  return renderFollowedLog({
    title: `Log of ${slug}`,
    script: 'site-log',
    state: isOld ? html`Older entries` : html`Latest entries`,
    controls: null,
    about: html`<section id="site-log" data-events="/v1${withQuery(path, filters)}" data-after="${last}" data-old="${isOld ? 'yes' : 'no'}">
${form(path, filters)}
<p class="soft">Times are UTC. ${isOld ? html`<a href="${withQuery(path, filters)}">Latest entries</a> · ` : null}${
      next === null
        ? html`No older entries.`
        : html`<a href="${withQuery(path, { ...filters, before: next })}">Older entries</a>`
    }</p>
</section>`,
    before: 0,
    log: joined(items.toReversed().map(entryItem)),
    step: '',
    isOver: isOld,
  });
}

function withQuery(path: string, query: SentQuery): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}

function form(path: string, filters: SentQuery): Markup {
  const { kind = '', level = '', status = '', path: prefix = '', q = '', since = '', until = '' } = filters;
  const kept = (name: string, value: string) =>
    value === '' ? null : html`<input type="hidden" name="${name}" value="${value}">`;
  return html`<form class="filters" method="get" action="${path}" role="search">
<label>Kind ${choice('kind', kind, logKinds)}</label>
<label>Level ${choice('level', level, logLevels)}</label>
<label>Status <input name="status" value="${status}" placeholder="404 or 4xx" autocomplete="off"></label>
<label>Path prefix <input name="path" value="${prefix}" placeholder="/" autocomplete="off"></label>
<label>Text <input name="q" value="${q}" autocomplete="off"></label>
${kept('since', since)}${kept('until', until)}<button class="quiet">Filter</button>
</form>`;
}

/**
 * Renders a selection list for a filter. If the URL contains several values for it, their combination is an additional
 * choice.
 */
function choice(name: string, chosen: string, all: readonly string[]): Markup {
  const others = chosen === '' || all.includes(chosen) ? all : [chosen, ...all];
  const options = others.map(
    (each) => html`<option value="${each}"${each === chosen ? html` selected` : null}>${each}</option>`,
  );
  return html`<select name="${name}"><option value="">everything</option>${joined(options)}</select>`;
}
