import { html } from '../../../edge/browser/markup.js';
import { wantsPage } from '../../../edge/http/pages/web-page.js';
import { problems } from '../../../edge/http/problems/problem.js';
import { problemBody } from '../../../edge/http/problems/send-problem.js';
import { buildResponseFields } from '../../../edge/http/proxy/response-fields.js';
import type { VisitorSink } from '../../../edge/http/proxy/visitor-sink.js';
import type { Refusal, RefusalCode } from '../../../kernel/refusal.js';
import { plainPage } from '../responses/plain-page.js';

/** Messages for visitors about errors of a server. They replace titles that are written for API clients. */
const WORDS: Partial<Record<RefusalCode, readonly [title: string, text: string]>> = {
  server_failed: ['This site is not working right now', 'The site’s server is not responding as it should.'],
  server_starting: ['This site is starting', 'The site’s server is not ready yet. Try again in a moment.'],
  server_timeout: ['This site took too long to respond', 'The site’s server did not respond in time.'],
  unavailable: ['This site is busy', 'The site is already serving as many visitors as it can. Try again shortly.'],
};

const RETRY_AFTER_SECONDS = '5';

export type ProblemOccurrence = {
  readonly accept: string | undefined;
  readonly path: string;
  readonly baseUrl: string;
  readonly requestId: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Sends an error as a page to browsers and as problem JSON to other clients. */
export function sendServerProblem(sink: VisitorSink, refusal: Refusal, occurrence: ProblemOccurrence) {
  const { accept, path, baseUrl, requestId, headers } = occurrence;
  const { status, title } = problems[refusal.code];
  const isPage = wantsPage({ headers: { accept } });
  const [heading, text] = WORDS[refusal.code] ?? [title, ''];
  const detail = refusal.detail === undefined ? text : `${text} ${refusal.detail}`;
  const body = Buffer.from(
    isPage
      ? plainPage(status, heading, html`${detail.trim()}`.markup)
      : JSON.stringify(problemBody(refusal, { baseUrl, instance: path, requestId })),
  );
  const head = {
    ...headers,
    'content-type': isPage ? 'text/html; charset=utf-8' : 'application/problem+json',
    'cache-control': 'no-store',
    ...(status === 503 && { 'retry-after': RETRY_AFTER_SECONDS }),
  };
  sink.head(status, buildResponseFields(Object.entries(head).flat()), body.length, requestId);
  sink.write(body);
  sink.end();
}
