import { follow, past } from './follow.js';
import { linkLines } from './line-links.js';
import { logLine } from './log-line.js';
import { FollowedLog, one } from './log-page.js';
import { after, BEGINS_WITHIN_MS, hasRunEnded, type RunView, runLine, stateLine, stateWords } from './run-view.js';

/** Keeps the page of a command-line run up to date after the server has rendered it. */
const { run: asServed = '', events = '', domain = '' } = one('#run').dataset;
let run: RunView = JSON.parse(asServed);

const title = document.title;
const log = new FollowedLog(hasRunEnded(run));

function show(isLate = false) {
  one('#state').innerHTML = stateLine(run, isLate).markup;
  document.title = `${stateWords(run)} · ${title}`;
}

const LINK = {
  live: '',
  lost: 'Connection lost. Reconnecting…',
  refused: 'This page can no longer follow the run. Reload it to try again.',
};

const waiting = setTimeout(() => run.status === 'unheard' && show(true), BEGINS_WITHIN_MS);
show();
linkLines(async () => (await Array.fromAsync(past(events))).map(runLine));
if (!hasRunEnded(run)) {
  for await (const told of follow(events, run.revision, (link) => {
    one('#link').textContent = LINK[link];
  })) {
    run = after(run, told, domain);
    log.append(logLine(runLine(told)));
    show();
  }
}
clearTimeout(waiting);
log.end();
