import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { orAborted } from '../../../kernel/concurrency/or-aborted.js';
import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import type { ServedDeploy, SiteServerUse } from '../../../kernel/ports/served-deploy.js';
import { refuse } from '../../../kernel/refusal.js';
import { ServerLog } from '../output/server-log.js';
import { RelayKey } from '../relay/relay-key.js';
import { OtherWorkerError, type SupervisedUse, Supervisor } from '../supervise/supervisor.js';
import { openRemoteUse, type RemoteUse, WorkerGoneError } from '../use/remote-use.js';
import { ServerLeases } from './server-leases.js';
import type { ServerWorker } from './server-row.js';

/** Maximum time that a visitor waits for a server. */
const WAIT_MS = 30_000;
const AGAIN_MS = 250;
/**
 * Number of times to look for the log entry about a crash. The entry is written after the server's output, which is
 * written to the log in batches every 200 ms.
 */
const CRASH_TRIES = 12;
/**
 * A connection to a server in another process stays open for this long after its last visitor, in case another visitor
 * needs it.
 */
const KEPT_MS = 5_000;

/** Connection to a server in another process, shared by all visitors of this process. */
type SharedUse = {
  readonly opening: Promise<{ readonly use: RemoteUse; readonly place: NonNullable<ServerWorker['place']> }>;
  isOpen: boolean;
  users: number;
  /** Number of visitors whose open connections are all WebSockets without traffic. */
  silent: number;
  /** Whether the process that runs the server has been told that no visitor currently has any traffic. */
  isSilent: boolean;
  /** Timer that closes the connection if no visitor needs it for a while. */
  closing: NodeJS.Timeout | null;
};

/**
 * Finds a site's server in this or another process, and starts it if necessary. Leases record which process runs a
 * server.
 */
@Injectable()
export class KnownServers {
  readonly #shared = new Map<string, SharedUse>();

  constructor(
    private readonly supervisor: Supervisor,
    private readonly leases: ServerLeases,
    private readonly key: RelayKey,
    private readonly log: ServerLog,
  ) {}

  /**
   * Returns the last lines that a server printed before it crashed, oldest first. Waits a few seconds for the entry
   * about the crash to be written. Returns an empty array if it does not appear.
   */
  async linesBeforeCrash({ siteId, deployId }: ServedDeploy, count: number): Promise<readonly string[]> {
    for (let tries = 0; tries < CRASH_TRIES; tries++) {
      const lines = await this.log.linesBeforeCrash(siteId, deployId, count);
      if (lines !== null) return lines;
      await delay(AGAIN_MS);
    }
    return [];
  }

  /**
   * Returns access to a deploy's server immediately if it is running in this process. Otherwise starts the server if
   * necessary, and resolves after its first response. Refuses with `server_failed` and the reason if the server
   * crashed, with `server_starting` if the visitor would have to wait too long, or with `server_timeout`.
   */
  use(deploy: ServedDeploy, signal: AbortSignal): SiteServerUse | Promise<SiteServerUse> {
    const now = this.supervisor.useNow(deploy.deployId);
    return now ? local(now) : this.#useLater(deploy, signal);
  }

  async #useLater(deploy: ServedDeploy, signal: AbortSignal): Promise<SiteServerUse> {
    const shared = this.#shared.get(deploy.deployId);
    if (shared?.isOpen) return this.#share(deploy.deployId, shared);
    const tooLong = AbortSignal.timeout(WAIT_MS);
    const using = this.#find(deploy, AbortSignal.any([signal, tooLong]));
    try {
      const use = await orAborted(using, AbortSignal.any([signal, tooLong]));
      if (use) return use;
    } catch (error) {
      if (!signal.aborted && !tooLong.aborted) throw error;
    }
    // The visitor has disconnected, or the start took too long. Release the server once it has started.
    void using.then((use) => use.release('answered'), heardElsewhere);
    signal.throwIfAborted();
    return refuse('server_starting', `The server did not start within ${WAIT_MS / 1_000} seconds.`);
  }

  /**
   * Returns access to the server. Refuses if the server can't be started. Tries again if another worker takes over the
   * server in the meantime.
   */
  async #find(deploy: ServedDeploy, signal: AbortSignal): Promise<SiteServerUse> {
    for (;;) {
      try {
        const shared = this.#shared.get(deploy.deployId);
        if (shared) return await this.#share(deploy.deployId, shared);
        const worker = await this.leases.workerFor(deploy);
        if (worker?.worker === this.supervisor.name) return local(await this.supervisor.use(deploy));
        if (worker?.place) return await this.#shareAnew(deploy, worker.place);
        if (worker === null) return refuse('server_failed', 'None of this service’s workers runs servers.');
      } catch (error) {
        if (!(error instanceof OtherWorkerError || error instanceof WorkerGoneError)) throw error;
      }
      await delay(AGAIN_MS, undefined, { signal });
    }
  }

  #shareAnew(deploy: ServedDeploy, place: NonNullable<ServerWorker['place']>) {
    const opening = openRemoteUse(place, deploy, this.key, AbortSignal.timeout(WAIT_MS)).then((use) => ({
      use,
      place,
    }));
    const shared: SharedUse = { opening, isOpen: false, users: 0, silent: 0, isSilent: false, closing: null };
    const { deployId } = deploy;
    this.#shared.set(deployId, shared);
    const forget = () => {
      if (this.#shared.get(deployId) === shared) this.#shared.delete(deployId);
    };
    opening.then(({ use }) => {
      shared.isOpen = true;
      // A stand-in is the server of the previous live deploy, which is used only until the current server has started.
      // Make the next visitor look up the server again.
      if (use.isStandIn) forget();
      use.lost.addEventListener('abort', forget, { once: true });
      if (use.lost.aborted) forget();
    }, forget);
    return this.#share(deployId, shared);
  }

  async #share(deployId: string, shared: SharedUse): Promise<SiteServerUse> {
    shared.users += 1;
    if (shared.closing) clearTimeout(shared.closing);
    const opened = await shared.opening.catch((error: unknown) => {
      shared.users -= 1;
      throw error;
    });
    const tellSilence = () => {
      const isSilent = shared.users > 0 && shared.silent === shared.users;
      if (isSilent === shared.isSilent) return;
      shared.isSilent = isSilent;
      opened.use.setSilent(isSilent);
    };
    tellSilence();
    let isReleased = false;
    let isSilentHere = false;
    const setSilent = (isSilent: boolean) => {
      if (isReleased || isSilent === isSilentHere) return;
      isSilentHere = isSilent;
      shared.silent += isSilent ? 1 : -1;
      tellSilence();
    };
    const release = (outcome: 'answered' | 'failed') => {
      if (isReleased) return;
      setSilent(false);
      isReleased = true;
      shared.users -= 1;
      if (outcome === 'failed') opened.use.failed();
      tellSilence();
      if (shared.users > 0) return;
      shared.closing = setTimeout(() => {
        if (shared.users > 0) return;
        if (this.#shared.get(deployId) === shared) this.#shared.delete(deployId);
        opened.use.close();
      }, KEPT_MS).unref();
    };
    return { address: { ...opened.place, key: opened.use.key }, release, setSilent };
  }
}

const local = ({ socketPath, release, setSilent }: Omit<SupervisedUse, 'isStandIn' | 'failed'>): SiteServerUse => ({
  address: { socketPath },
  release,
  setSilent,
});
