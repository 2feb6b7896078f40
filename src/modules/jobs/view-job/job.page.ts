import type { z } from 'zod';
import { hasJobEnded, stateLine, stepItems } from '../../../edge/browser/job-view.js';
import { type LogChunk, logChunk } from '../../../edge/browser/log-line.js';
import { html, joined, type Markup } from '../../../edge/browser/markup.js';
import { renderFollowedLog } from '../../../edge/http/pages/log-page.js';
import { rerunForm } from '../../../edge/http/pages/rerun-form.js';
import type { JobSnapshot } from '../show-job/snapshot.js';

export type CanStop = 'yes' | 'no' | 'with its edit token';

/** Renders a job's page, which shows the newest lines of the log. `now` is in milliseconds since 1970. */
export function jobPage(
  job: z.output<typeof JobSnapshot>,
  log: readonly LogChunk[],
  can: { readonly stop: CanStop; readonly rerun: boolean },
  now: number,
): string {
  const { id, slug, commit, status } = job;
  const last = log.at(-1)?.lines.at(-1)?.n;
  const view = JSON.stringify({ ...job, eventsUrl: undefined, plan: undefined });
  return renderFollowedLog({
    title: `Deploy of ${slug}`,
    script: 'job',
    state: stateLine(job),
    controls: html`<div id="stop"${hasJobEnded(job) || status === 'stopping' ? html` hidden` : null}>${stopForm(id, can.stop)}</div>
<div id="rerun"${can.rerun && hasJobEnded(job) && status !== 'succeeded' ? null : html` hidden`}>${can.rerun ? rerunForm(slug) : null}</div>`,
    about: html`<section id="job" data-job="${view}" data-events="/v1/jobs/${id}/events" data-now="${now}">
<ol class="steps">${stepItems(job, now)}</ol>
<p class="soft">${commit ? html`Commit <code>${commit.slice(0, 12)}</code> · ` : null}<a href="/jobs/${id}/log">View the log as text</a>${status === 'failed' && last !== undefined ? html` · <a href="#L${last}">Go to the last line</a>` : null}</p>
</section>`,
    before: (log[0]?.lines[0]?.n ?? 1) - 1,
    log: joined(log.map((chunk, at) => logChunk(chunk, log[at - 1]?.step ?? ''))),
    step: log.at(-1)?.step ?? '',
    isOver: hasJobEnded(job),
  });
}

function stopForm(id: string, canStop: CanStop): Markup | null {
  if (canStop === 'no') return null;
  const form = (field: Markup | null) =>
    html`<form method="post" action="/v1/jobs/${id}/stop">${field}<button class="quiet">Stop the job</button></form>`;
  if (canStop === 'yes') return form(null);
  return html`<details><summary>Stop the job</summary>${form(
    html`<label>The site’s edit token <input name="editToken" autocomplete="off" required maxlength="200"></label>`,
  )}</details>`;
}
