import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ActorContext, type CommandContext, toAuthor } from '../kernel/command-context.js';
import type { Decide, DomainEvent, Fold } from '../kernel/decider.js';
import { type Outcome, Transactions } from '../kernel/transactions.js';

/** A command that changes one stream according to one rule. */
export abstract class StreamCommand<State, Event extends DomainEvent> extends Command<Outcome<State, Event>> {
  /** Reads the stream, lets the rule decide, and appends the resulting events. */
  abstract through(transactions: Transactions): Promise<Outcome<State, Event>>;
}

/**
 * Handles every stream command. Nest finds this handler through metadata of the class `StreamCommand`, which the
 * classes of commands inherit.
 */
@CommandHandler(StreamCommand)
export class StreamCommandHandler implements ICommandHandler<StreamCommand<unknown, DomainEvent>> {
  constructor(private readonly transactions: Transactions) {}

  execute(command: StreamCommand<unknown, DomainEvent>) {
    return command.through(this.transactions);
  }
}

/**
 * Returns a function that creates the class of a stream command from a rule. `streamOf` returns the name of the stream,
 * and `fold` derives its state:
 *
 *     const SiteCommand = defineStreamCommand(({ siteId }: { siteId: string }) => siteStream(siteId), site);
 *     class RollbackSite extends SiteCommand(decideRollback) {}
 *     await commands.execute(new RollbackSite({ context, siteId, deployId, rollbackId, ifRevision }));
 *
 * The input of a command consists of the rule's input, the values for `streamOf` and a context. The rule receives all
 * of it.
 */
export const defineStreamCommand = streamCommands('run');

/**
 * Like `defineStreamCommand`, for streams that are probably empty. Appends without reading the stream first, and reads
 * it only if it already has events.
 */
export const defineNewStreamCommand = streamCommands('begin');

function streamCommands(transact: 'run' | 'begin') {
  return <Name, State, Event extends DomainEvent>(streamOf: (name: Name) => string, fold: Fold<State, Event>) =>
    <Input>(decide: Decide<State, Input, Event>) =>
      class extends StreamCommand<State, Event> {
        constructor(readonly input: Name & Input & { readonly context: CommandContext | ActorContext }) {
          super();
        }

        override through(transactions: Transactions) {
          const { input } = this;
          return transactions[transact](streamOf(input), fold, decide, input, toAuthor(input.context));
        }
      };
}
