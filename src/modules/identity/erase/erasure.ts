import { Inject, Injectable, Logger } from '@nestjs/common';
import { AccountErasure } from '../../../kernel/ports/account-erasure.js';
import { PersonalDataStores } from '../../../kernel/ports/personal-data-stores.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { type PendingErasure, People } from '../../../tables/people/people.js';

/**
 * Erases a person (docs/interface.md, "Being forgotten"): their memberships end, then every address is forgotten, their
 * own last. Each step may be repeated. That it was begun is kept with the person, so that what a crash breaks off the
 * next start ends.
 */
@Injectable()
export class Erasure {
  readonly #log = new Logger('Erasing');

  constructor(
    @Inject(People) private readonly people: People,
    @Inject(AccountErasure) private readonly accountErasure: AccountErasure,
    @Inject(PersonalDataStores) private readonly keepers: PersonalDataStores,
  ) {}

  /** Ends what was begun before this process was started. */
  async start() {
    for (const { userId, pendingErasure } of await this.people.going())
      await this.#carryOut(userId, pendingErasure).catch((error: unknown) =>
        this.#log.warn(`${userId}: ${error instanceof Error ? error.message : error}; their next try goes on`),
      );
  }

  /** Refuses to let somebody go alone with `last_owner`, naming the sites that would have none; nothing has changed then. */
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
      // Somebody has left a site to them meanwhile: what becomes of it is theirs to say, not the next start's.
      if (error instanceof Refusal && error.code === 'last_owner') await this.people.setGoing(userId, null);
      throw error;
    }
    const person = await this.people.find(userId);
    if (person) await this.keepers.forget(person);
    await this.people.erase(userId);
  }
}
