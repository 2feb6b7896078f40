import { follow, past } from './follow.js';
import { after, type Told } from './job-fold.js';
import { hasJobEnded, type JobView, stateLine, stateWords, stepItems } from './job-view.js';
import { linkLines } from './line-links.js';
import { type LogChunk, type LogLine, logChunk } from './log-line.js';
import { FollowedLog, one } from './log-page.js';

const TICK_MS = 1_000;

const section = one('#job');
const { job: asServed = '', events = '', now = '' } = section.dataset;
let job: JobView = JSON.parse(asServed);
/** How far the server's clock is ahead of the browser's, in milliseconds. */
const ahead = Number(now) - Date.now();

const title = document.title;
const log = new FollowedLog(hasJobEnded(job));
let step = one('.log').dataset.step ?? '';

function show() {
  one('#state').innerHTML = stateLine(job).markup;
  document.title = `${stateWords(job)} · ${title}`;
  one('#stop').hidden = hasJobEnded(job) || job.status === 'stopping';
  one('#rerun').hidden = !hasJobEnded(job) || job.status === 'succeeded';
  tick();
  if (!hasJobEnded(job)) return;
  log.end();
  clearInterval(ticking);
}

function tick() {
  one('.steps').innerHTML = stepItems(job, Date.now() + ahead).markup;
}

function take(told: Told) {
  job = after(job, told);
  if (told.event !== 'job.log') return show();
  const chunk: LogChunk = told.data;
  log.append(logChunk(chunk, step));
  step = chunk.step;
}

async function earlier(): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  for await (const { event, data } of past(events)) if (event === 'job.log') lines.push(...data.lines);
  return lines;
}

const LINK = {
  live: '',
  lost: 'Connection lost. Reconnecting…',
  refused: 'This page can no longer follow the job. Reload it to try again.',
};

const ticking = setInterval(tick, TICK_MS);
show();
linkLines(earlier);
// Scroll to the end of a failed job's log, because the reason for the failure is there.
if (job.status === 'failed') log.showEnd();
if (!hasJobEnded(job)) {
  for await (const told of follow(events, job.revision, (link) => {
    one('#link').textContent = LINK[link];
  }))
    take(told);
}
