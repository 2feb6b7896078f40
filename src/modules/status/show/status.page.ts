import { html, joined, type Markup } from '../../../edge/browser/markup.js';
import { webPage } from '../../../edge/http/pages/web-page.js';
import { plural } from '../../../kernel/output/quantities.js';
import { computeUptime, type ShownDay } from '../board/shown-days.js';
import type { ShownPart, StatusSnapshot } from '../board/status-snapshot.js';
import { components } from '../components.js';
import type { Incident } from '../incidents/incidents.js';
import { renderMarkdown } from '../incidents/markdown.js';
import { formatDaySpan, formatDayText, formatHeadline, formatTime, percent, STATUS_WORDS } from './status-texts.js';

/** Dimensions of the bars for the days, in SVG units. */
const BAR = { width: 4, apart: 6, height: 36, least: 12 };

/** Maximum numbers of incidents and updates on the page. The API returns all of them. */
const SHOWN_INCIDENTS = 20;
const SHOWN_UPDATES = 20;

/** Renders the status page. It works without a script and does not update itself. */
export function statusPage(snapshot: StatusSnapshot, everyMs: number | null, feedUrl: string): string {
  const { at, parts, incidents } = snapshot;
  const [open, over] = [incidents.filter(isOpen), incidents.filter((incident) => !isOpen(incident))];
  return webPage(
    formatHeadline(snapshot),
    html`<div class="status">
${asOf(snapshot)}
${open.length === 0 ? null : html`<section aria-labelledby="open"><h2 id="open">Open incidents</h2>${shown(open)}</section>`}
<section aria-labelledby="parts">
<h2 id="parts">Components</h2>
${parts.length === 0 ? html`<p>There are no results yet.</p>` : parts.map(partMarkup)}
</section>
<section aria-labelledby="past">
<h2 id="past">Past incidents</h2>
${over.length === 0 ? html`<p class="soft">No ${open.length === 0 ? 'incidents' : 'other incidents'} in the last 90 days.</p>` : shown(over)}
</section>
<p class="soft">As of ${formatTime(at)}. ${
      everyMs === null
        ? 'The operator has disabled the checks.'
        : `Each component is checked every ${everyMs === 60_000 ? 'minute' : plural(everyMs / 1_000, 'second')} from inside the service, in the way that clients use it.`
    } Days are in UTC. <a href="${feedUrl}">Subscribe to incidents (RSS)</a></p>
</div>`,
  );
}

/** Renders a notice if the status is outdated because the last read from the database failed. */
function asOf({ isCurrent, recordsAt }: StatusSnapshot): Markup | null {
  if (isCurrent) return null;
  const last =
    recordsAt === null ? 'They have not been loaded yet.' : `This page shows them as of ${formatTime(recordsAt)}.`;
  return html`<p class="notice" role="status">Earlier days and past incidents can’t be updated right now. ${last}</p>`;
}

const isOpen = ({ status }: Incident) => status !== 'resolved';

function partMarkup({ name, title, means, status, since, checkedAt, reason, days }: ShownPart): Markup {
  const why = reason === null ? '' : `: ${reason}`;
  const known = since ? ` since ${formatTime(since)}` : checkedAt ? `: no result since ${formatTime(checkedAt)}` : '';
  const listed = days.filter(({ failing, unknown }) => failing > 0 || unknown > 0).toReversed();
  return html`<article class="part" aria-labelledby="part-${name}">
<h3 id="part-${name}">${title}</h3>
<p class="state"><span class="mark ${status}">${STATUS_WORDS[status]}</span><span class="soft">${known}${why}</span></p>
<p class="soft">${means}</p>
${bars(formatDaySpan(title, days), days)}
<p class="scale soft"><span>90 days ago</span><span>${percent(computeUptime(days))}</span><span>today</span></p>
${
  listed.length === 0
    ? null
    : html`<details><summary>${plural(listed.length, 'day')} with failures or missing results</summary><ul>${listed.map((day) => html`<li>${formatDayText(day)}</li>`)}</ul></details>`
}
</article>`;
}

/**
 * Draws a bar for each day: solid if there are results, hollow otherwise. The share of failed minutes is drawn over the
 * lower part of the bar.
 */
function bars(label: string, days: readonly ShownDay[]): Markup {
  const { width, apart, height } = BAR;
  const at = (isSo: (day: ShownDay) => boolean) =>
    days.flatMap((day, n) => (isSo(day) ? [`M${n * apart} 0h${width}v${height}h-${width}z`] : [])).join('');
  const isKnown = (day: ShownDay) => computeUptime([day]) !== null;
  const box = `0 0 ${days.length * apart - (apart - width)} ${height}`;
  return html`<svg class="days" viewBox="${box}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="unknown" d="${at((day) => !isKnown(day))}"/><path class="well" d="${at(isKnown)}"/>${joined(
    days.flatMap((day, n) => (day.failing === 0 ? [] : [failedPart(day, n * apart)])),
  )}</svg>`;
}

function failedPart(day: ShownDay, x: number): Markup {
  const { width, height, least } = BAR;
  const failed = Math.max(least, Math.round((height * (100 - (computeUptime([day]) ?? 0))) / 100));
  return html`<rect class="failing" x="${x}" y="${height - failed}" width="${width}" height="${failed}"><title>${formatDayText(day)}</title></rect>`;
}

const shown = (incidents: readonly Incident[]) => incidents.slice(0, SHOWN_INCIDENTS).map(incidentMarkup);

const TITLES: ReadonlyMap<string, string> = new Map(components.map(({ name, title }) => [name, title]));

function incidentMarkup({ id, title, components: names, updates }: Incident): Markup {
  const about = names.map((name) => TITLES.get(name) ?? name).join(', ');
  return html`<article class="incident" id="${id}" aria-labelledby="title-${id}">
<h3 id="title-${id}">${title}</h3>
${about === '' ? null : html`<p class="soft">${about}</p>`}
${updates.slice(0, SHOWN_UPDATES).map(
  ({ at, status, body }) => html`<div class="update">
<p class="soft"><strong>${status.charAt(0).toUpperCase()}${status.slice(1)}</strong> · <time datetime="${at.toISOString()}">${formatTime(at)}</time></p>
${renderMarkdown(body)}
</div>`,
)}
</article>`;
}
