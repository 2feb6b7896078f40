import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { DomainActivated, readHostname } from '../../../events/domain.events.js';
import { EventStore } from '../../../kernel/event-store.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { CertificateServer } from '../../../kernel/ports/outside/certificate-server.js';
import { ReadModelWaiter } from '../../../kernel/ports/read-models.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { DomainRow } from '../../../projections/models/domain.projection.js';
import { CertificateRequests, type DueCertificate } from './certificate-requests.js';
import { computeRetryDelay } from './next-try.js';

/**
 * Minimum interval between certificate requests, across all processes. Caddy allows about ten requests in ten seconds.
 */
const ONE_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 250;
const SCHEDULE_AGAIN_EVERY_MS = 1_000;
/** Duration of a lease on a certificate request. It is longer than any handshake. */
const LEASE_MS = 75_000;
const OFFER_EVERY_MS = 10 * 60_000;
const OFFERED_AT_ONCE = 1_000;

const scheduling = new BackgroundTask('schedule_certificates');
const obtaining = new BackgroundTask('obtain_certificates');

/**
 * Requests the certificate of each domain as soon as the domain is active, so that no visitor has to wait. Sends one
 * request at a time, because the server would refuse many concurrent ones. Several processes can run this concurrently.
 */
@Injectable()
export class Certificates {
  readonly #log = new Logger('Domains');
  readonly #unscheduled = new Set<string>();
  #obtaining: Promise<void> = Promise.resolve();

  constructor(
    private readonly server: CertificateServer,
    private readonly requests: CertificateRequests,
    private readonly store: EventStore,
    private readonly readModels: ReadModelWaiter,
    @InjectRepository(DomainRow) private readonly rows: Repository<DomainRow>,
    private readonly urls: ServiceUrls,
  ) {}

  start(signal: AbortSignal) {
    void this.#listen(signal);
    if (!this.server.isThere) return;
    void pollLoop({ name: 'offer_certificates', everyMs: OFFER_EVERY_MS, signal }, () => this.#offer());
    const again = { name: 'schedule_certificates_again', everyMs: SCHEDULE_AGAIN_EVERY_MS, signal };
    void pollLoop(again, () => this.#scheduleAgain());
    const taking = { name: 'take_certificate_requests', everyMs: LOOK_EVERY_MS, signal };
    this.#obtaining = pollLoop(taking, () => this.#obtainNext(signal));
  }

  /** Resolves when no certificate request is running. Must be called after the signal has aborted. */
  stopped = () => this.#obtaining;

  async #listen(signal: AbortSignal) {
    for await (const batch of this.store.follow(await this.store.lastPosition(), signal)) {
      for (const { type, stream } of batch)
        if (type === DomainActivated.type) await this.#activated(readHostname(stream));
    }
  }

  async #activated(hostname: string) {
    if (this.server.isThere) {
      if (!(await scheduling.run(() => this.requests.schedule(hostname)))) this.#unscheduled.add(hostname);
    } else if (this.urls.baseUrl.startsWith('http:'))
      this.#log.warn(`${hostname} is served over HTTP only. docs/https.md explains how to serve it over HTTPS.`);
  }

  /**
   * Schedules the certificate requests that could not be stored earlier. Runs every second because visitors are waiting
   * for certificates. If this process exits, the next process to start schedules the remaining requests.
   */
  async #scheduleAgain(): Promise<boolean> {
    for (const hostname of this.#unscheduled) {
      await this.requests.schedule(hostname);
      this.#unscheduled.delete(hostname);
    }
    return false;
  }

  async #obtainNext(signal: AbortSignal): Promise<boolean> {
    const due = await this.requests.take(ONE_EVERY_MS, LEASE_MS);
    if (due === null) return false;
    if (!(await this.#isActive(due))) return this.#giveUp(due);
    try {
      await this.server.obtain(due.hostname, signal);
      await this.requests.finish(due);
      obtaining.succeeded();
    } catch (error) {
      if (signal.aborted) await this.requests.again(due, 0);
      else {
        obtaining.failed(error);
        const attempt = due.attempt + 1;
        await this.requests.again({ ...due, attempt }, computeRetryDelay(attempt, Math.random()));
      }
    }
    return false;
  }

  #isActive = ({ hostname }: DueCertificate) => this.rows.existsBy({ hostname, status: 'active' });

  /**
   * Removes a domain that is no longer active, but only once the read model is up to date: a domain that has just
   * become active may be missing from it.
   */
  async #giveUp(due: DueCertificate): Promise<boolean> {
    const position = await this.store.lastPosition();
    const isLate = (await this.readModels.reached(position)) < position;
    if (isLate || (await this.#isActive(due))) await this.requests.again(due, 0);
    else await this.requests.remove(due);
    return !isLate;
  }

  /**
   * Schedules certificate requests for active domains that have none. This happens if the table was lost or a process
   * exited before it added them.
   */
  async #offer(): Promise<boolean> {
    // Wait for the read model. No event reports a domain that became active while no worker was running.
    await this.readModels.reached(await this.store.lastPosition());
    for (let last = ''; ; ) {
      const rows = await this.rows.find({
        select: { id: true, hostname: true },
        where: { status: 'active', id: MoreThan(last) },
        order: { id: 'asc' },
        take: OFFERED_AT_ONCE,
      });
      const end = rows.at(-1);
      if (!end) return false;
      await this.requests.offer(rows.map(({ hostname }) => hostname));
      last = end.id;
    }
  }
}
