import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import { Transactions } from '../../../src/kernel/transactions.js';
import { StreamCommandHandler } from '../../../src/nest/stream-command.js';

class Commands {}

/** Returns Nest's command bus. Commands that change a stream run in the given `transactions`. */
export async function commandBus(transactions: Transactions): Promise<CommandBus> {
  const module = {
    module: Commands,
    imports: [CqrsModule.forRoot()],
    providers: [{ provide: Transactions, useValue: transactions }, StreamCommandHandler],
  };
  const application = await NestFactory.createApplicationContext(module, { logger: false });
  return application.get(CommandBus);
}
