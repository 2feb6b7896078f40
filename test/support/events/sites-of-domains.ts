import { CommandBus } from '@nestjs/cqrs';
import { RandomIds } from '../../../src/adapters/random-ids.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { SiteAccess } from '../../../src/modules/sites/api/site-access.js';
import { SiteHistory } from '../../../src/modules/sites/api/site-history.js';
import { SiteDirectory } from '../../../src/modules/sites/site/site-directory.js';
import { commandBus } from '../eventstore/command-bus.js';
import { MemorySnapshots, type MemoryStore } from '../eventstore/memory-store.js';

export async function sitesOfDomains(
  store: MemoryStore,
): Promise<{ commands: CommandBus; transactions: Transactions; sites: SiteAccess; history: SiteHistory }> {
  const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
  const commands = await commandBus(transactions);
  const directory = new SiteDirectory(commands, transactions, store);
  return {
    commands,
    transactions,
    sites: new SiteAccess(directory),
    history: new SiteHistory(commands),
  };
}
