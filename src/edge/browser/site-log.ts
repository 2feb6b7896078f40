import { follow } from './follow.js';
import { type EntryView, entryItem, skippedItem } from './log-entry.js';
import { FollowedLog, one } from './log-page.js';

const { events = '', after = '', old = '' } = one('#site-log').dataset;
const isOld = old === 'yes';
const log = new FollowedLog(isOld);

const STATES = {
  live: 'Following',
  lost: 'Connection lost. Reconnecting…',
  refused: 'This page can no longer follow the log. Reload it to try again.',
};

if (!isOld) {
  for await (const { event, data } of follow(events, Number(after), (link) => {
    one('#state').textContent = STATES[link];
  }))
    log.append(event === 'skipped' ? skippedItem(data) : entryItem(data as EntryView));
}
