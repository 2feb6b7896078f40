import type { Told } from './job-fold.js';
import { duration } from './job-view.js';
import type { LogLine } from './log-line.js';
import { html, type Markup } from './markup.js';

export type RunView = {
  readonly status: 'unheard' | 'going' | 'succeeded' | 'failed';
  readonly jobId: string | null;
  /** The site URL that the run reported, if it belongs to this service. */
  readonly url: string | null;
  readonly failure: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly revision: number;
};

export const unheard: RunView = {
  status: 'unheard',
  jobId: null,
  url: null,
  failure: null,
  startedAt: null,
  finishedAt: null,
  revision: 0,
};

/** The page reports that a run has not started if its first event has not arrived within this time. */
export const BEGINS_WITHIN_MS = 30_000;

export const hasRunEnded = ({ status }: RunView) => status === 'succeeded' || status === 'failed';

/** Applies an event to the run. The event's data comes from the command line and has not been validated. */
export function after(run: RunView, { id, event, data }: Told, siteDomain: string): RunView {
  const { data: said, jobId } = data;
  const status = event === 'run.succeeded' ? 'succeeded' : event === 'run.failed' ? 'failed' : 'going';
  return {
    status,
    jobId: jobId ?? run.jobId,
    url: ownAddress(said?.url, siteDomain) ?? run.url,
    failure: status === 'failed' && typeof said?.text === 'string' ? said.text : null,
    startedAt: run.startedAt ?? data.at,
    finishedAt: status === 'going' ? null : data.at,
    revision: id,
  };
}

/** Returns the URL, which is untrusted, if it belongs to a site of this service. Otherwise returns null. */
function ownAddress(url: unknown, siteDomain: string): string | null {
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const { protocol, host, username, href } = new URL(url);
  const isOurs = host.endsWith(`.${siteDomain}`) && username === '';
  return isOurs && /^https?:$/.test(protocol) ? href : null;
}

/** `isLate` means that the first event has not arrived within `BEGINS_WITHIN_MS`. */
export function stateWords({ status, failure, startedAt, finishedAt }: RunView, isLate = false): string {
  const took = startedAt && finishedAt ? ` after ${duration(Date.parse(finishedAt) - Date.parse(startedAt))}` : '';
  switch (status) {
    case 'unheard':
      return isLate
        ? 'This run has not started. Check that the command is still running and can reach this server, and that this URL is correct.'
        : 'Waiting for the command to start';
    case 'going':
      return 'Running';
    case 'succeeded':
      return `Done${took}`;
    case 'failed':
      return `Failed${took}${failure ? `: ${failure}` : ''}`;
  }
}

export const stateLine = (run: RunView, isLate = false): Markup => stateOf(run, stateWords(run, isLate));

const stateOf = ({ status, jobId, url }: RunView, words: string): Markup =>
  html`<span class="glyph ${status === 'going' ? 'running' : status}"></span> <span>${words}</span>${
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
