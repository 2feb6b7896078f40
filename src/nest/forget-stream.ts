import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { DomainEvent, Fold } from '../kernel/decider.js';
import { EventStore } from '../kernel/event-store.js';
import { forgetStream } from '../kernel/forget-stream.js';
import { Transactions } from '../kernel/transactions.js';

/**
 * Replaces all events of a stream that ended long ago with the event `tombstone`. If the last event is not older than
 * `before` (RFC 3339), returns false and changes nothing.
 */
export class ForgetStream<State, Event extends DomainEvent> extends Command<boolean> {
  constructor(
    readonly forgotten: {
      readonly stream: string;
      readonly fold: Fold<State, Event>;
      readonly tombstone: Event;
      readonly before: string;
    },
  ) {
    super();
  }
}

/** This command needs its own handler, because the rule of a stream command can append events but cannot remove any. */
@CommandHandler(ForgetStream)
export class ForgetStreamHandler implements ICommandHandler<ForgetStream<unknown, DomainEvent>> {
  constructor(
    private readonly store: EventStore,
    private readonly transactions: Transactions,
  ) {}

  execute<State, Event extends DomainEvent>({ forgotten }: ForgetStream<State, Event>) {
    return forgetStream(this.store, this.transactions, forgotten);
  }
}
