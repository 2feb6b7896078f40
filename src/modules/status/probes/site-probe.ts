import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { ProbeToken } from '../../../edge/http/auth/strategies/probe-token.js';
import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import { probeSlug } from '../../../kernel/reserved-names.js';
import { ProbeTarget } from '../../sites/api/probe-target.js';
import { FrontDoor, type FrontDoorResponse } from './front-door.js';
import { type Finding, judge } from './judge.js';
import { ProbeError } from './probe-fault.js';

/**
 * Other processes may show the previous deploy for up to SEEN_WITHIN_MS. During that time, requests are repeated every
 * ASK_AGAIN_MS.
 */
const SEEN_WITHIN_MS = 3_000;
const ASK_AGAIN_MS = 250;

/** Maximum time to wait for the event stream to open before the next deploy is published. */
const WATCHED_WITHIN_MS = 2_000;

/** Text contained in every page that the probe publishes. */
const MARK = 'stele-probe-';

type ProbeDeploy = { readonly deployId: string; readonly mark: string; readonly position: string };

/**
 * Publishes a test site as any client would, then checks its page, its history and its event stream. If publishing
 * fails, the rest is checked with the previous deploy, so that each component gets its own result.
 */
@Injectable()
export class SiteRound {
  constructor(
    private readonly door: FrontDoor,
    private readonly site: ProbeTarget,
    private readonly token: ProbeToken,
    private readonly urls: ServiceUrls,
  ) {}

  async run(stopping: AbortSignal): Promise<(Finding | null)[]> {
    const published = Promise.withResolvers<ProbeDeploy | null>();
    const watching = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<number | null>();

    const streams = judge('streams', stopping, async (signal) => {
      try {
        await this.#watch(await opened.promise, watching.resolve, published.promise, signal);
      } finally {
        watching.resolve();
      }
    });
    const publish = await judge('publish', stopping, async (signal) => {
      try {
        const { revision } = await this.site.open(new Date().toISOString());
        opened.resolve(revision);
        // Publish even if the event stream does not open in time.
        await Promise.race([watching.promise, delay(WATCHED_WITHIN_MS, undefined, { signal })]);
        published.resolve(await this.#publish(signal));
      } finally {
        opened.resolve(null);
        published.resolve(null);
      }
    });
    const deploy = await published.promise;
    return Promise.all([
      publish,
      judge('serve', stopping, (signal) => this.#see(deploy, signal)),
      judge('history', stopping, (signal) => this.#readHistory(deploy, signal)),
      streams,
    ]);
  }

  async #publish(signal: AbortSignal): Promise<ProbeDeploy> {
    const mark = `${MARK}${randomUUID()}`;
    const answer = await this.door.ask(this.#api(`/v1/deploy?slug=${probeSlug}`), {
      method: 'PATCH',
      headers: { ...this.#credentials, 'content-type': 'text/html' },
      body: pageWith(mark, this.urls.statusUrl),
      signal,
    });
    assertOk(answer);
    const { deployId } = JSON.parse(answer.text) as { readonly deployId?: unknown };
    if (typeof deployId !== 'string') throw new ProbeError('the response has no deploy ID');
    return { deployId, mark, position: String(answer.headers['stele-position'] ?? '') };
  }

  /**
   * Waits until the site shows the page of the deploy. If `deploy` is null, accepts any page that a probe has
   * published.
   */
  async #see(deploy: ProbeDeploy | null, signal: AbortSignal) {
    const wanted = deploy?.mark ?? MARK;
    const until = performance.now() + SEEN_WITHIN_MS;
    for (;;) {
      const answer = await this.door.ask(this.urls.site(probeSlug), { signal });
      if (answer.status === 200 && answer.text.includes(wanted)) return;
      if (performance.now() >= until) {
        assertOk(answer);
        throw new ProbeError('an older page is still being served');
      }
      await delay(ASK_AGAIN_MS, undefined, { signal });
    }
  }

  async #readHistory(deploy: ProbeDeploy | null, signal: AbortSignal) {
    const until = performance.now() + SEEN_WITHIN_MS;
    const seen = deploy?.position ? { 'stele-position': deploy.position } : {};
    for (;;) {
      const answer = await this.door.ask(this.#api(`/v1/sites/${probeSlug}/history?limit=5`), {
        headers: { ...this.#credentials, ...seen },
        signal,
      });
      assertOk(answer);
      if (deploy === null || answer.text.includes(deploy.deployId)) return;
      if (performance.now() >= until) throw new ProbeError('the deploy is missing from the history');
      await delay(ASK_AGAIN_MS, undefined, { signal });
    }
  }

  /**
   * Resolves when the event stream has reported the deploy or, if nothing could be published, when the stream is open.
   */
  async #watch(
    revision: number | null,
    isWatching: () => void,
    published: Promise<ProbeDeploy | null>,
    signal: AbortSignal,
  ) {
    const answer = await this.door.open(this.#api(`/v1/sites/${probeSlug}/events`), {
      headers: {
        ...{ ...this.#credentials, accept: 'text/event-stream' },
        ...(revision !== null && { 'last-event-id': String(revision) }),
      },
      signal,
    });
    try {
      if (answer.statusCode !== 200) throw new ProbeError(`returned ${answer.statusCode}`);
      let heard = '';
      const told = Promise.withResolvers<void>();
      let wanted: string | null = null;
      const look = () => {
        if (wanted !== null && heard.includes(wanted)) told.resolve();
      };
      answer.on('data', (chunk: Buffer) => {
        heard = (heard + chunk.toString('utf8')).slice(-65_536);
        look();
      });
      answer.once('close', () => told.reject(new ProbeError('the stream ended')));
      told.promise.catch(heardElsewhere);
      isWatching();
      const deploy = await published;
      if (deploy === null) return;
      wanted = deploy.deployId;
      look();
      await told.promise;
    } finally {
      answer.destroy();
    }
  }

  #api = (path: string) => `${this.urls.baseUrl}${path}`;

  get #credentials() {
    return { 'x-svc-edit-token': this.token.token };
  }
}

function assertOk({ status, text }: FrontDoorResponse) {
  if (status === 200) return;
  const code = /"code":"([a-z_]{1,40})"/.exec(text)?.[1];
  throw new ProbeError(`returned ${status}${code === undefined ? '' : ` ${code}`}`);
}

const pageWith = (mark: string, statusUrl: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Probe</title>
<p>This page is republished every minute to check that publishing works. <a href="${statusUrl}">See the service status</a></p>
<!-- ${mark} -->
`;
