import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { leftToLease } from '../../../kernel/faults/ignored-fault.js';
import { Ids } from '../../../kernel/ids.js';
import { DomainChecker } from '../../../kernel/ports/outside/domain-checker.js';
import { Mail } from '../../../kernel/ports/outside/mail.js';
import { JobSettings } from '../../../settings/build-settings.js';
import { JobQueue } from '../../jobs/api/job-queue.js';
import { ServerLeases } from '../../servers/api/server-leases.js';
import { FrontDoor } from './front-door.js';
import { type Finding, judge, nothing } from './judge.js';
import { ProbeError } from './probe-fault.js';

/**
 * Time for a worker to pick up the job that a probe adds. Workers poll once a second, and busy workers need a few
 * seconds more.
 */
const TAKEN_WITHIN_MS = 8_000;
const LOOK_EVERY_MS = 250;

const NOTHING_TO_DO = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

/** Probes the components that `SiteRound` (site-probe.ts) does not cover by publishing a test site. */
@Injectable()
export class PartProbes {
  constructor(
    private readonly door: FrontDoor,
    private readonly queue: JobQueue,
    private readonly jobs: JobSettings,
    private readonly mail: Mail,
    private readonly dns: DomainChecker,
    private readonly urls: ServiceUrls,
    private readonly ids: Ids,
    private readonly servers: ServerLeases,
  ) {}

  run(stopping: AbortSignal): Promise<(Finding | null)[]> {
    return Promise.all([
      judge('jobs', stopping, (signal) => this.#takesJobs(signal)),
      judge('servers', stopping, () => this.#runsPrograms()),
      judge('mail', stopping, () => this.#sendsMail()),
      judge('domains', stopping, (signal) => this.#knowsDomains(signal)),
      judge('agents', stopping, (signal) => this.#answersAgents(signal)),
    ]);
  }

  /** Adds an empty job to check whether workers are running. The job disappears as soon as a worker picks it up. */
  async #takesJobs(signal: AbortSignal) {
    const jobId = this.ids.make('prb');
    await this.queue.offer(jobId, 'probe');
    const until = performance.now() + TAKEN_WITHIN_MS;
    try {
      for (;;) {
        const { isThere, underWay } = await this.queue.standing(jobId);
        // If the maximum number of jobs is running, workers are alive: they keep renewing the leases of these jobs.
        if (!isThere || underWay >= this.jobs.atOnce) return;
        if (performance.now() >= until) throw new ProbeError('no worker picks up waiting jobs');
        await delay(LOOK_EVERY_MS, undefined, { signal });
      }
    } finally {
      await this.queue.remove(jobId).catch(leftToLease);
    }
  }

  async #runsPrograms() {
    // Report success even if no site has a server, so that an earlier outage ends when the last server is removed.
    if ((await this.servers.stranded()) > 0) throw new ProbeError('site servers are waiting for a worker');
    return undefined;
  }

  async #sendsMail() {
    const isReachable = await this.mail.checkReachable();
    if (isReachable === null) return nothing;
    if (!isReachable) throw new ProbeError('the mail server cannot be reached');
    return undefined;
  }

  async #knowsDomains(signal: AbortSignal) {
    const { baseUrl, siteDomain } = this.urls;
    const ask = new URL(`${baseUrl}/internal/tls/ask?domain=${new URL(baseUrl).hostname}`);
    const answer = await this.door.openHere(ask, { signal });
    answer.resume();
    if (answer.statusCode !== 200 && answer.statusCode !== 404)
      throw new ProbeError(`the certificate check returned ${answer.statusCode}`);
    if (!(await this.dns.isAnswered(siteDomain, signal))) throw new ProbeError('no DNS server responds');
  }

  async #answersAgents(signal: AbortSignal) {
    const { status } = await this.door.ask(this.urls.mcpUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: NOTHING_TO_DO,
      signal,
    });
    if (status === 404 || status >= 500) throw new ProbeError(`returned ${status}`);
  }
}
