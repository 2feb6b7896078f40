import { Inject, Injectable, Logger } from '@nestjs/common';
import { AccountErasure } from '../../../kernel/ports/account-erasure.js';
import { PersonalDataStores } from '../../../kernel/ports/personal-data-stores.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { type PendingErasure, People } from '../../../tables/people/people.js';

/**
 * Erases a person (docs/interface.md, "Being forgotten"): their memberships end, then every address is erased, their
 * own last. Each step may be repeated. That it has begun is stored with the person, so that the next start finishes what
 * a crash has interrupted.
 */
@Injectable()
export class Erasure {
  readonly #log = new Logger('Erasing');

  constructor(
    @Inject(People) private readonly people: People,
    @Inject(AccountErasure) private readonly accountErasure: AccountErasure,
    @Inject(PersonalDataStores) private readonly personalData: PersonalDataStores,
  ) {}

  /** Finishes erasures that were begun before this process started. */
  async start() {
    for (const { userId, pendingErasure } of await this.people.going())
      await this.#carryOut(userId, pendingErasure).catch((error: unknown) =>
        this.#log.warn(`${userId}: ${error instanceof Error ? error.message : error}; their next try goes on`),
      );
  }

  /**
   * Erases the person, with their sites or `alone`. Throws `last_owner`, naming the sites that would be left without an
   * owner; then nothing has changed.
   */
  async erase(userId: string, pendingErasure: PendingErasure): Promise<void> {
    if (pendingErasure === 'alone') await this.#expectOthers(userId);
    await this.people.setGoing(userId, pendingErasure);
    await this.#carryOut(userId, pendingErasure);
  }

  async #expectOthers(userId: string): Promise<void> {
    const alone = await this.accountErasure.ownedAlone(userId);
    if (alone.length === 0) return;
    refuse(
      'last_owner',
      `These sites would have no owner: ${alone.join(', ')}. Make somebody else an owner of them, or have them deleted with ?sites=delete.`,
      alone.map((slug) => ({ path: 'sites', message: slug })),
    );
  }

  async #carryOut(userId: string, pendingErasure: PendingErasure): Promise<void> {
    const at = new Date().toISOString();
    try {
      if (pendingErasure === 'with-sites') await this.accountErasure.leaveOrDeleteAll(userId, at);
      else await this.accountErasure.leaveAll(userId, at);
    } catch (error) {
      // They have become the last owner of a site meanwhile: they decide what becomes of it, not the next start.
      if (error instanceof Refusal && error.code === 'last_owner') await this.people.setGoing(userId, null);
      throw error;
    }
    const person = await this.people.find(userId);
    if (person) await this.personalData.forget(person);
    await this.people.erase(userId);
  }
}
