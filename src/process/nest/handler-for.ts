import { Inject, type Type } from '@nestjs/common';
import { type Command, CommandHandler } from '@nestjs/cqrs';
import { actorOf, type Given } from '../../kernel/command-context.js';
import type { Decide, DomainEvent, Fold } from '../../kernel/decider.js';
import { type Outcome, Transactions } from '../../kernel/transactions.js';

type CommandOn<State, Event extends DomainEvent> = Command<Outcome<State, Event>> & { readonly given: Given };

/** The handler that every command on one stream needs, so that no slice writes one. */
export function handlerFor<C extends CommandOn<State, Event>, State, Event extends DomainEvent, Rule>(
  // biome-ignore lint/suspicious/noExplicitAny: a command's constructor takes what it likes
  command: new (...args: any[]) => C,
  slice: {
    stream: (command: C) => string;
    fold: Fold<State, Event>;
    decide: Decide<State, Rule, Event>;
    /** What the rule is asked with. */
    rule: (command: C) => Rule;
  },
): Type {
  @CommandHandler(command)
  class Handler {
    constructor(@Inject(Transactions) private readonly transactions: Transactions) {}

    execute(sent: C): Promise<Outcome<State, Event>> {
      const { at, caller } = sent.given;
      const by = { at, actor: actorOf(caller) };
      return this.transactions.run(slice.stream(sent), slice.fold, slice.decide, slice.rule(sent), by);
    }
  }
  Object.defineProperty(Handler, 'name', { value: `${command.name}Handler` });
  return Handler;
}
