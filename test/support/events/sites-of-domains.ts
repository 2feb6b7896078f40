import { CommandBus } from '@nestjs/cqrs';
import { RandomIds } from '../../../src/adapters/random-ids.js';
import { refuse } from '../../../src/kernel/refusal.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { SiteDomains } from '../../../src/modules/sites/settings/domains/site-domains.js';
import { SiteDirectory } from '../../../src/modules/sites/site/site-directory.js';
import { commandBus } from '../eventstore/command-bus.js';
import { MemorySnapshots, type MemoryStore } from '../eventstore/memory-store.js';

/** Sites as the domains module sees them, on a log in memory, with their own buses. The sites have no readers here. */
export async function sitesOfDomains(
  store: MemoryStore,
): Promise<{ commands: CommandBus; transactions: Transactions; sites: SiteDomains }> {
  const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
  const commands = await commandBus(transactions);
  const directory = new SiteDirectory(commands, transactions, store);
  return {
    commands,
    transactions,
    sites: new SiteDomains(commands, directory, { getFor: async () => refuse('site_not_found') }),
  };
}
