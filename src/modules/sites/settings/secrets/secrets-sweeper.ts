import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { SitePasswords } from '../../../../accounts/site-passwords.js';
import { Vault } from '../../../../accounts/vault.js';
import { SiteDeleted } from '../../../../events/site/settings.events.js';
import { readSiteId } from '../../../../events/site/site.events.js';
import { EventStore } from '../../../../kernel/event-store.js';
import { BackgroundTask } from '../../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../../kernel/faults/ignored-fault.js';
import { plural } from '../../../../kernel/output/quantities.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { isOrphan } from './orphaned-secret.js';

const EVERY_MS = 6 * 3_600_000;
const AGAIN_AFTER_MS = 5_000;

const forgetting = new BackgroundTask('forget_secrets_of_deleted_sites');
const sweeping = new BackgroundTask('sweep_secrets');

/**
 * Removes secret values that are not in use. The values of a deleted site are removed immediately, together with its
 * password. Values left behind by a crash are removed at startup and then every six hours. Several processes can run
 * this concurrently.
 */
@Injectable()
export class SecretsSweeper {
  readonly #log = new Logger('Secrets');

  constructor(
    private readonly vault: Vault,
    private readonly passwords: SitePasswords,
    private readonly store: EventStore,
    private readonly directory: SiteDirectory,
  ) {}

  #going: Promise<unknown> = Promise.resolve();

  start(signal: AbortSignal) {
    this.#going = Promise.all([this.#withTheirSites(signal), this.#again(signal)]);
  }

  /** Resolves when the work in progress at the time of the signal has finished. */
  async stopped() {
    await this.#going;
  }

  async sweep(signal: AbortSignal): Promise<number> {
    let forgotten = 0;
    for await (const page of this.vault.sites()) {
      for (const siteId of page) {
        if (signal.aborted) return forgotten;
        // Read the vault before the log, so that the log contains all values that were recorded before the vault was
        // read.
        const kept = await this.vault.kept(siteId);
        const { state } = await this.directory.stateOf(siteId);
        for (const { name, version } of kept.filter((each) => isOrphan(state, each))) {
          await this.vault.forget(siteId, name, version, false);
          forgotten++;
        }
      }
    }
    return forgotten;
  }

  async #withTheirSites(signal: AbortSignal) {
    for (let from: bigint | null = null; !signal.aborted; ) {
      try {
        from ??= await this.store.lastPosition();
        for await (const batch of this.store.follow(from, signal)) {
          for (const { type, stream } of batch) if (type === SiteDeleted.type) await this.#forget(readSiteId(stream));
          from = batch.at(-1)?.position ?? from;
          forgetting.succeeded();
        }
      } catch (error) {
        if (!signal.aborted) forgetting.failed(error);
        await pause(AGAIN_AFTER_MS, signal);
      }
    }
  }

  async #forget(siteId: string) {
    await this.vault.forgetSite(siteId);
    await this.passwords.forgetSite(siteId);
  }

  async #again(signal: AbortSignal) {
    while (!signal.aborted) {
      const isDone = await sweeping.run(async () => {
        const forgotten = await this.sweep(signal);
        if (forgotten > 0) this.#log.log(`Removed ${plural(forgotten, 'secret value')} that no site uses`);
      });
      await pause(isDone ? EVERY_MS : AGAIN_AFTER_MS, signal);
    }
  }
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal, ref: false }).catch(waitEnded);
