import type { Told } from './job-fold.js';
import type { LogLine } from './log-line.js';
import { html, type Markup } from './markup.js';

export type RunView = {
  readonly status: 'unheard' | 'going' | 'succeeded' | 'failed';
  readonly jobId: string | null;
  /** The site URL that the run reported, if it belongs to this service. */
  readonly url: string | null;
  readonly revision: number;
};

export const unheard: RunView = { status: 'unheard', jobId: null, url: null, revision: 0 };

/** Applies an event to the run. The event's data comes from the command line and has not been validated. */
export function after(run: RunView, { id, event, data }: Told, siteDomain: string): RunView {
  const { data: said, jobId } = data;
  const status = event === 'run.succeeded' ? 'succeeded' : event === 'run.failed' ? 'failed' : 'going';
  return { status, jobId: jobId ?? run.jobId, url: ownAddress(said?.url, siteDomain) ?? run.url, revision: id };
}

/** Returns the URL, or null unless it belongs to a site of this service. The URL is untrusted. */
function ownAddress(url: unknown, siteDomain: string): string | null {
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const { protocol, host, username, href } = new URL(url);
  const isOurs = host.endsWith(`.${siteDomain}`) && username === '';
  return isOurs && /^https?:$/.test(protocol) ? href : null;
}

const WORDS = { unheard: 'No events yet', going: 'Running', succeeded: 'Done', failed: 'Failed' };

export const stateLine = ({ status, jobId, url }: RunView): Markup =>
  html`<span class="mark ${status === 'going' ? 'running' : status}"></span> <span>${WORDS[status]}</span>${
    url ? html` <a class="site" href="${url}">${url}</a>` : null
  }${jobId ? html` <a href="/jobs/${jobId}">View job</a>` : null}`;

/** Converts an event of a run to a log line: its text if it has one, otherwise all of its data. */
export function runLine({ id, event, data }: Told): LogLine {
  const { text, ...rest } = data.data ?? {};
  const kind = event.slice('run.'.length);
  const said = typeof text === 'string' ? text : Object.keys(rest).length > 0 ? JSON.stringify(data.data) : '';
  return {
    n: id,
    stream: event === 'run.failed' ? 'stderr' : 'stdout',
    text: event === 'run.log' && said !== '' ? said : `${kind} ${said}`.trimEnd(),
  };
}
