import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ActorContext, authorOf, type CommandContext } from '../kernel/command-context.js';
import type { Decide, DomainEvent, Fold } from '../kernel/decider.js';
import { type Outcome, Transactions } from '../kernel/transactions.js';

/** A command that changes one stream by one rule. */
export abstract class StreamCommand<State, Event extends DomainEvent> extends Command<Outcome<State, Event>> {
  /** Reads the stream, lets the rule decide and appends what it says. */
  abstract through(transactions: Transactions): Promise<Outcome<State, Event>>;
}

/**
 * The handler of every stream command: Nest finds a handler by metadata on the command's class, and classes inherit
 * that of the class they extend.
 */
@CommandHandler(StreamCommand)
export class StreamCommandHandler implements ICommandHandler<StreamCommand<unknown, DomainEvent>> {
  constructor(@Inject(Transactions) private readonly transactions: Transactions) {}

  execute(command: StreamCommand<unknown, DomainEvent>) {
    return command.through(this.transactions);
  }
}

/**
 * Says which stream commands are about and how its state is folded. The answer makes a command's class of a rule:
 *
 *     const SiteCommand = commandsOn(({ siteId }: { siteId: string }) => siteStream(siteId), site);
 *     class RollbackSite extends SiteCommand(decideRollback) {}
 *     await commands.execute(new RollbackSite({ context, siteId, deployId, rollbackId, ifRevision }));
 *
 * A command is made with what its rule is given, what names the stream, and a context; the rule sees all of it.
 */
export const commandsOn = streamCommands('run');

/** `commandsOn` for streams that are most likely empty: they are not read first, and the append says when they are not. */
export const commandsOnNew = streamCommands('begin');

function streamCommands(transact: 'run' | 'begin') {
  return <Name, State, Event extends DomainEvent>(streamOf: (name: Name) => string, fold: Fold<State, Event>) =>
    <Input>(decide: Decide<State, Input, Event>) =>
      class extends StreamCommand<State, Event> {
        constructor(readonly input: Name & Input & { readonly context: CommandContext | ActorContext }) {
          super();
        }

        override through(transactions: Transactions) {
          const { input } = this;
          return transactions[transact](streamOf(input), fold, decide, input, authorOf(input.context));
        }
      };
}
