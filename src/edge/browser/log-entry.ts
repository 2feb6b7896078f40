import { html, type Markup } from './markup.js';

export type EntryView = {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly level: string;
  readonly message: string;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  readonly hits?: number | undefined;
  readonly bytes?: number | undefined;
  readonly ms?: number | undefined;
  readonly referrer?: string | undefined;
  readonly client?: string | undefined;
  readonly jobId?: string | undefined;
};

/** Number of log entries that were skipped because the reader was too slow. */
export type SkippedView = { readonly count: number };

/** A log entry as shown on the page. `tag` is the HTTP status of a request, or the kind of any other entry. */
export type EntryLine = {
  readonly time: string;
  readonly tag: string;
  readonly text: string;
  readonly more: string;
};

/** Characters that are replaced in log entries: control characters, and characters that change the order of text. */
const CONTROLS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

export const visible = (text: string) => text.replace(CONTROLS, '\ufffd');

export function entryLine(entry: EntryView): EntryLine {
  const time = `${entry.at.slice(0, 10)} ${entry.at.slice(11, 19)}`;
  const { method, path, status } = entry;
  if (method === undefined || path === undefined || status === undefined)
    return { time, tag: entry.kind, text: visible(entry.message), more: '' };
  return { time, tag: String(status), text: visible(`${method} ${path}`), more: visible(detailsOf(entry)) };
}

function detailsOf({ ms, bytes, client, referrer, hits }: EntryView): string {
  const all = [
    ms === undefined ? '' : `${ms < 10 ? ms : Math.round(ms)} ms`,
    bytes === undefined ? '' : sizeOf(bytes),
    client ?? '',
    referrer === undefined ? '' : `from ${referrer}`,
    hits === undefined ? '' : `${hits} ${hits === 1 ? 'time' : 'times'}`,
  ];
  return all.filter((each) => each !== '').join(', ');
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** CSS classes in `log.css` for each tag or first digit of a status. They are named after terminal colours. */
const COLOUR: Readonly<Record<string, string>> = {
  '2': 'f2',
  '3': 'f6',
  '4': 'f3',
  '5': 'f1',
  deploy: 'f5 sb',
  job: 'f4',
  server: 'f6',
  system: 'f8',
};

export function chooseColour(tag: string, level: string): string | null {
  if (level === 'error') return 'f1';
  return COLOUR[tag] ?? COLOUR[tag.slice(0, 1)] ?? null;
}

export function entryItem(entry: EntryView): Markup {
  const { time, tag, text, more } = entryLine(entry);
  const marked = html`<span class="tag ${chooseColour(tag, entry.level) ?? ''}">${tag}</span>`;
  const told = entry.jobId === undefined ? html`${text}` : html`<a href="/jobs/${entry.jobId}">${text}</a>`;
  return html`<li id="E${entry.id}" class="entry${entry.level === 'error' ? ' err' : ''}"><time datetime="${entry.at}">${time}</time>${marked}<code>${told}${more === '' ? null : html` <span class="more">${more}</span>`}</code></li>`;
}

export const skippedItem = ({ count }: SkippedView): Markup => html`<li class="step">${skippedWords({ count })}</li>`;

export const skippedWords = ({ count }: SkippedView): string =>
  `${count} ${count === 1 ? 'entry was skipped because it' : 'entries were skipped because they'} arrived too fast.`;
