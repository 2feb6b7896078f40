import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type PendingErasure, People } from '../../../accounts/people/people.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { PersonalDataRegistry } from '../../../kernel/ports/personal-data-stores.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { Memberships } from '../../sites/api/memberships.js';

const AGAIN_AFTER_MS = 2_000;

const finishing = new BackgroundTask('finish_erasures');

/**
 * Erases a user (docs/interface/accounts.md, "Deleting an account"): ends the user's memberships, then deletes all
 * personal data, the user's own address last. Each step is idempotent. The user's record states that erasure has begun,
 * so that this process or the next one can complete it after an interruption; the user may have no session left to
 * request it again.
 */
@Injectable()
export class Erasure {
  /** Users whose erasure may not be complete yet. */
  readonly #unfinished = new Set<string>();

  constructor(
    private readonly people: People,
    private readonly memberships: Memberships,
    private readonly personalData: PersonalDataRegistry,
  ) {}

  /** Completes erasures begun by an earlier process. Keeps retrying erasures that fail in this process. */
  async start(signal: AbortSignal) {
    for (const { userId } of await this.people.going()) this.#unfinished.add(userId);
    await finishing.run(() => this.#finish());
    void this.#finishAgain(signal);
  }

  /**
   * Erases the user: `alone`, or together with the sites that would be left without an owner. If there are such sites,
   * refuses `alone` with `last_owner` before anything has changed, and names the sites.
   */
  async erase(userId: string, pendingErasure: PendingErasure): Promise<void> {
    if (pendingErasure === 'alone') await this.#assertOthers(userId);
    try {
      await this.people.setGoing(userId, pendingErasure);
      await this.#carryOut(userId, pendingErasure);
    } catch (error) {
      this.#unfinished.add(userId);
      throw error;
    }
  }

  async #finishAgain(signal: AbortSignal) {
    while (!signal.aborted) {
      await delay(AGAIN_AFTER_MS, undefined, { signal, ref: false }).catch(waitEnded);
      if (this.#unfinished.size > 0 && !signal.aborted) await finishing.run(() => this.#finish());
    }
  }

  /** Tries to complete all unfinished erasures, then throws the error of the last one that failed. */
  async #finish(): Promise<void> {
    const going = new Map((await this.people.going()).map((each) => [each.userId, each.pendingErasure]));
    const failed: unknown[] = [];
    for (const userId of [...this.#unfinished]) {
      const pendingErasure = going.get(userId);
      try {
        if (pendingErasure) await this.#carryOut(userId, pendingErasure);
        this.#unfinished.delete(userId);
      } catch (error) {
        failed.push(error);
      }
    }
    if (failed.length > 0) throw failed.at(-1);
  }

  async #assertOthers(userId: string): Promise<void> {
    const alone = await this.memberships.listOwnedAlone(userId);
    if (alone.length === 0) return;
    refuse(
      'last_owner',
      `These sites would be left without an owner: ${alone.join(', ')}. Add another owner to each of them, or delete them together with your account by sending ?sites=delete.`,
      alone.map((slug) => ({ path: 'sites', message: slug })),
    );
  }

  async #carryOut(userId: string, pendingErasure: PendingErasure): Promise<void> {
    const at = new Date().toISOString();
    try {
      if (pendingErasure === 'with-sites') await this.memberships.leaveOrDeleteAll(userId, at);
      else await this.memberships.leaveAll(userId, at);
    } catch (error) {
      // After the erasure was requested, the user became the last owner of a site. Cancel the erasure, because the user
      // must decide what happens to that site.
      if (error instanceof Refusal && error.code === 'last_owner') await this.people.setGoing(userId, null);
      throw error;
    }
    const person = await this.people.find(userId);
    if (person) await this.personalData.forget(person);
    await this.people.erase(userId);
  }
}
