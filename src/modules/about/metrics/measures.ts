import { Injectable } from '@nestjs/common';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ObservedRequest } from '../../../edge/http/api/request-observer.js';
import { version } from '../../../edge/http/api/version.js';
import { catalogue } from '../../../events/catalogue.js';
import { EventStore } from '../../../kernel/event-store.js';
import { BackgroundTask, backgroundFailures } from '../../../kernel/faults/background-task.js';
import { Checkpoints } from '../../../projections/projector/checkpoints.js';
import { allReadModels } from '../../../projections/read-models.js';
import { WorkQueue } from '../../connector/api/work-queue.js';
import { ServerCounts } from '../../servers/api/server-counts.js';
import { ServerLeases } from '../../servers/api/server-leases.js';
import { serverStates } from '../../sites/api/server-state.js';
import { LatestProbeFindings } from '../../status/api/probe-findings.js';
import { AccessLog } from '../../traffic/api/access-log.js';
import { inTime } from '../pulse.js';

const counting = new BackgroundTask('count_events');

@Injectable()
export class Measures {
  readonly #registry = new Registry();
  readonly #requests = new Histogram({
    name: 'stele_http_request_duration_seconds',
    help: 'Duration of API requests, from arrival to the end of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.#registry],
  });
  readonly #events = new Counter({
    name: 'stele_events_total',
    help: 'Events seen in the log since this process started, including those recorded by other processes.',
    labelNames: ['type'],
    registers: [this.#registry],
  });
  readonly #unknown = new Counter({
    name: 'stele_events_unknown_total',
    help: 'Events that this version skips because a newer version recorded them.',
    labelNames: ['type'],
    registers: [this.#registry],
  });
  readonly #stopped = new Gauge({
    name: 'stele_read_model_stopped_streams',
    help: 'Streams that a read model has stopped processing because it cannot apply an event.',
    labelNames: ['model'],
    registers: [this.#registry],
  });
  readonly #position = new Gauge({
    name: 'stele_log_position',
    help: 'Position of the last event in the log.',
    registers: [this.#registry],
  });
  readonly #lag = new Gauge({
    name: 'stele_read_model_lag',
    help: 'Log positions that a read model has not processed yet: events and gaps between them, or bytes with EventStoreDB.',
    labelNames: ['model'],
    registers: [this.#registry],
  });
  readonly #waiting = new Gauge({
    name: 'stele_connector_waiting',
    help: 'Connector invocations waiting for an agent, across all sites and processes.',
    registers: [this.#registry],
  });
  readonly #background = new Counter({
    name: 'stele_background_failures_total',
    help: 'Failures of background tasks since this process started.',
    labelNames: ['task'],
    registers: [this.#registry],
  });

  readonly #accessEntries = new Counter({
    name: 'stele_access_entries_total',
    help: 'Access log entries for requests to sites that this process has written.',
    registers: [this.#registry],
  });
  readonly #accessDropped = new Counter({
    name: 'stele_access_dropped_total',
    help: 'Requests to sites that were served but could not be logged. Only their number per site is recorded.',
    registers: [this.#registry],
  });
  readonly #accessFailures = new Counter({
    name: 'stele_access_batches_failed_total',
    help: 'Failed attempts to write a batch of access log entries. Each batch is retried.',
    registers: [this.#registry],
  });
  readonly #accessWaiting = new Gauge({
    name: 'stele_access_waiting',
    help: 'Access log entries for requests to sites that have not been written yet.',
    registers: [this.#registry],
  });
  readonly #servers = new Gauge({
    name: 'stele_servers',
    help: 'Site servers across all processes, by state.',
    labelNames: ['state'],
    registers: [this.#registry],
  });
  readonly #serverEvents = new Counter({
    name: 'stele_server_events_total',
    help: 'Number of times this process started a site server, saw one crash or put one to sleep.',
    labelNames: ['event'],
    registers: [this.#registry],
  });
  readonly #serverStartSeconds = new Counter({
    name: 'stele_server_start_seconds_total',
    help: 'Total startup time of site servers. Each startup ends with the first response.',
    registers: [this.#registry],
  });
  readonly #probeWell = new Gauge({
    name: 'stele_probe_well',
    help: 'Result of the last probe of a component by this process: 1 if the probe succeeded, 0 if it failed.',
    labelNames: ['component'],
    registers: [this.#registry],
  });
  readonly #probeSeconds = new Gauge({
    name: 'stele_probe_duration_seconds',
    help: 'Duration of the last probe of a component by this process.',
    labelNames: ['component'],
    registers: [this.#registry],
  });

  readonly type = this.#registry.contentType;

  constructor(
    private readonly store: EventStore,
    private readonly checkpoints: Checkpoints,
    private readonly connectorWork: WorkQueue,
    private readonly accessLog: AccessLog,
    private readonly probes: LatestProbeFindings,
    private readonly servers: ServerLeases,
    private readonly serverCounts: ServerCounts,
  ) {
    collectDefaultMetrics({ register: this.#registry });
    const build = new Gauge({
      name: 'stele_build_info',
      help: 'Always 1. The label contains the running version.',
      labelNames: ['version'],
      registers: [this.#registry],
    });
    build.set({ version }, 1);
  }

  observe({ method, route, status, seconds }: ObservedRequest) {
    this.#requests.observe({ method, route, status }, seconds);
  }

  /** Counts new events of the event log until `signal` aborts. */
  async start(signal: AbortSignal) {
    this.#count(await this.store.lastPosition(), signal).catch(counting.failed);
  }

  /**
   * If the event store does not return its last position within a second, the metrics contain the last known position
   * and no lags.
   */
  async text(): Promise<string> {
    this.#lag.reset();
    this.#background.reset();
    for (const [task, failures] of backgroundFailures()) this.#background.inc({ task }, failures);
    this.#countRequestsOfSites();
    this.#countServers();
    for (const { component, isWell, ms } of this.probes.latest) {
      this.#probeWell.set({ component }, isWell ? 1 : 0);
      this.#probeSeconds.set({ component }, ms / 1_000);
    }
    const stopped = await inTime(this.checkpoints.stopped());
    for (const [model, streams] of stopped ?? []) this.#stopped.set({ model }, streams);
    const waiting = await inTime(this.connectorWork.leftovers.waiting());
    if (waiting !== null) this.#waiting.set(waiting);
    const servers = await inTime(this.servers.standing());
    for (const state of serverStates) this.#servers.set({ state }, servers?.byState.get(state) ?? 0);
    const end = await inTime(this.store.lastPosition());
    if (end !== null) {
      this.#position.set(Number(end));
      await inTime(
        Promise.all(
          allReadModels.map(async (model) => this.#lagOf(model.name, end, await this.checkpoints.read(model))),
        ),
      );
    }
    return this.#registry.metrics();
  }

  #countRequestsOfSites() {
    const { written, dropped, failedBatches, waiting } = this.accessLog.counts;
    for (const [counter, count] of [
      [this.#accessEntries, written],
      [this.#accessDropped, dropped],
      [this.#accessFailures, failedBatches],
    ] as const) {
      counter.reset();
      counter.inc(count);
    }
    this.#accessWaiting.set(waiting);
  }

  #countServers() {
    const { starts, crashes, sleeps, startMs } = this.serverCounts;
    this.#serverEvents.reset();
    for (const [event, count] of Object.entries({ start: starts, crash: crashes, sleep: sleeps }))
      this.#serverEvents.inc({ event }, count);
    this.#serverStartSeconds.reset();
    this.#serverStartSeconds.inc(startMs / 1_000);
  }

  #lagOf(model: string, end: bigint, position: bigint) {
    this.#lag.set({ model }, Math.max(0, Number(end - position)));
  }

  async #count(position: bigint, signal: AbortSignal) {
    for await (const events of this.store.follow(position, signal)) {
      for (const { type, schema } of events) {
        this.#events.inc({ type });
        if (catalogue.knows(type, schema) === 'unknown') this.#unknown.inc({ type });
      }
    }
  }
}
