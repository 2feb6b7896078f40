import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { orAborted } from '../../../kernel/concurrency/or-aborted.js';
import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import { type ProgramUse, type ServedProgram, SiteServers } from '../../../kernel/ports/site-servers.js';
import { refuse } from '../../../kernel/refusal.js';
import { ServerLeases } from '../api/server-leases.js';
import type { ServerWorker } from '../api/server-row.js';
import { RelayKey } from '../relay/relay-key.js';
import { HeldElsewhere, type SupervisedUse, Supervisor } from '../supervise/supervisor.js';
import { openRemoteUse, type RemoteUse, WorkerGone } from './remote-use.js';

/** A visitor is kept waiting for so long. */
const WAIT_MS = 30_000;
const AGAIN_MS = 250;
/** A use in another process is kept for so long after its last user, for the next. */
const KEPT_MS = 5_000;

/** A program of another process that is being used, by all visitors here together. */
type SharedUse = {
  readonly opening: Promise<{ readonly use: RemoteUse; readonly place: NonNullable<ServerWorker['place']> }>;
  isOpen: boolean;
  users: number;
  /** How many of the users are silent WebSockets. */
  silent: number;
  /** Whether the other process knows that all of them are. */
  isSilent: boolean;
  /** Ends it when no visitor has used it for a while. */
  closing: NodeJS.Timeout | null;
};

/** Programs of sites, wherever they run: in this process, or in another one that others know of by its leases. */
@Injectable()
export class KnownServers extends SiteServers {
  readonly #shared = new Map<string, SharedUse>();

  constructor(
    @Inject(Supervisor) private readonly supervisor: Supervisor,
    @Inject(ServerLeases) private readonly leases: ServerLeases,
    @Inject(RelayKey) private readonly key: RelayKey,
  ) {
    super();
  }

  override use(program: ServedProgram, signal: AbortSignal): ProgramUse | Promise<ProgramUse> {
    const now = this.supervisor.useNow(program.deployId);
    return now ? local(now) : this.#useLater(program, signal);
  }

  async #useLater(program: ServedProgram, signal: AbortSignal): Promise<ProgramUse> {
    const shared = this.#shared.get(program.deployId);
    if (shared?.isOpen) return this.#share(program.deployId, shared);
    const tooLong = AbortSignal.timeout(WAIT_MS);
    const using = this.#find(program, AbortSignal.any([signal, tooLong]));
    try {
      const use = await orAborted(using, AbortSignal.any([signal, tooLong]));
      if (use) return use;
    } catch (error) {
      if (!signal.aborted && !tooLong.aborted) throw error;
    }
    // The visitor it was for is not there any more.
    void using.then((use) => use.release('answered'), heardElsewhere);
    signal.throwIfAborted();
    return refuse('server_starting', `The server did not start within ${WAIT_MS / 1_000} seconds.`);
  }

  /** Until it is used, or refused: a worker may be lost meanwhile, and another one have it. */
  async #find(program: ServedProgram, signal: AbortSignal): Promise<ProgramUse> {
    for (;;) {
      try {
        const shared = this.#shared.get(program.deployId);
        if (shared) return await this.#share(program.deployId, shared);
        const worker = await this.leases.workerFor(program);
        if (worker?.worker === this.supervisor.name) return local(await this.supervisor.use(program));
        if (worker?.place) return await this.#shareAnew(program, worker.place);
        if (worker === null) return refuse('server_failed', 'None of this service’s workers runs servers.');
      } catch (error) {
        if (!(error instanceof HeldElsewhere || error instanceof WorkerGone)) throw error;
      }
      await delay(AGAIN_MS, undefined, { signal });
    }
  }

  #shareAnew(program: ServedProgram, place: NonNullable<ServerWorker['place']>) {
    const opening = openRemoteUse(place, program, this.key, AbortSignal.timeout(WAIT_MS)).then((use) => ({
      use,
      place,
    }));
    const shared: SharedUse = { opening, isOpen: false, users: 0, silent: 0, isSilent: false, closing: null };
    const { deployId } = program;
    this.#shared.set(deployId, shared);
    const forget = () => {
      if (this.#shared.get(deployId) === shared) this.#shared.delete(deployId);
    };
    opening.then(({ use }) => {
      shared.isOpen = true;
      // It is of what was live before: the next one asks again.
      if (use.isStandIn) forget();
      use.lost.addEventListener('abort', forget, { once: true });
      if (use.lost.aborted) forget();
    }, forget);
    return this.#share(deployId, shared);
  }

  async #share(deployId: string, shared: SharedUse): Promise<ProgramUse> {
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

const local = ({ socketPath, release, setSilent }: Omit<SupervisedUse, 'isStandIn' | 'failed'>): ProgramUse => ({
  address: { socketPath },
  release,
  setSilent,
});
