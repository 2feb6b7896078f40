import { Inject, Injectable, Logger } from '@nestjs/common';
import { Departures } from '../../../kernel/ports/account-erasure.js';
import { type Going, People } from '../../../kernel/ports/people.js';
import { AddressKeepers } from '../../../kernel/ports/personal-data-stores.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';

/**
 * Erases a person (contract, section 5): their memberships end, then every address is forgotten, their own last. Each
 * step may be repeated. That it was begun is kept with the person, so that what a crash breaks off the next start ends.
 */
@Injectable()
export class Erasing {
  readonly #log = new Logger('Erasing');

  constructor(
    @Inject(People) private readonly people: People,
    @Inject(Departures) private readonly departures: Departures,
    @Inject(AddressKeepers) private readonly keepers: AddressKeepers,
  ) {}

  /** Ends what was begun before this process was started. */
  async start() {
    for (const { userId, going } of await this.people.going())
      await this.#carryOut(userId, going).catch((error: unknown) =>
        this.#log.warn(`${userId}: ${error instanceof Error ? error.message : error}; their next try goes on`),
      );
  }

  /** Refuses to let somebody go alone with `last_owner`, naming the sites that would have none; nothing has changed then. */
  async erase(userId: string, going: Going): Promise<void> {
    if (going === 'alone') await this.#expectOthers(userId);
    await this.people.setGoing(userId, going);
    await this.#carryOut(userId, going);
  }

  async #expectOthers(userId: string): Promise<void> {
    const alone = await this.departures.ownedAlone(userId);
    if (alone.length === 0) return;
    refuse(
      'last_owner',
      `These sites would have no owner: ${alone.join(', ')}. Make somebody else an owner of them, or have them deleted with ?sites=delete.`,
      alone.map((slug) => ({ path: 'sites', message: slug })),
    );
  }

  async #carryOut(userId: string, going: Going): Promise<void> {
    const at = new Date().toISOString();
    try {
      if (going === 'with-sites') await this.departures.leaveOrDeleteAll(userId, at);
      else await this.departures.leaveAll(userId, at);
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
