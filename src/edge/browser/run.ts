import { follow, past } from './follow.js';
import { linkLines } from './line-links.js';
import { logLine } from './log-line.js';
import { FollowedLog, one } from './log-page.js';
import { after, type RunView, runLine, stateLine } from './run-view.js';

const { run: asServed = '', events = '', domain = '' } = one('#run').dataset;
let run: RunView = JSON.parse(asServed);
const isOver = run.status === 'succeeded' || run.status === 'failed';
const log = new FollowedLog(isOver);

linkLines(async () => (await Array.fromAsync(past(events))).map(runLine));
if (!isOver) {
  for await (const told of follow(events, run.revision, (link) => {
    one('#link').textContent = link === 'lost' ? 'Connection lost. Reconnecting…' : '';
  })) {
    run = after(run, told, domain);
    log.append(logLine(runLine(told)));
    one('#state').innerHTML = stateLine(run).markup;
  }
}
log.end();
