import { catalogue } from '../events/catalogue.js';
import type { DomainEvent } from '../kernel/decider.js';
import type { Recorded } from '../kernel/event-store.js';

/**
 * A read model: one table, and how events become its rows. A fold over rows, so that one definition serves living
 * and rebuilding (decision 0007).
 */
export type ReadModel<Row extends object, Event extends DomainEvent> = {
  readonly name: string;
  /** Raise it when the table or the fold changes: the model is then built anew from the first event. */
  readonly version: number;
  /** Declares the table, its columns and indexes; the primary key is one text column. */
  readonly entity: new () => Row;
  /** The keys of the rows this event changes; none for an event the model has no use for. */
  readonly touches: (event: Recorded<Event>) => readonly string[];
  /** A row after the event; null removes it. `row` is undefined where there is none yet. */
  readonly evolve: (row: Row | undefined, event: Recorded<Event>, key: string) => Row | null;
  /** The site whose rows this event removes, all of them; null for none. Rows are found by their `siteId`. */
  readonly forgets?: (event: Recorded<Event>) => string | null;
  /** Events only ever add rows, or remove those of a site: what stands is not read first. */
  readonly appendOnly?: true;
};

/** A read model whatever its rows and events, as the projector sees it. */
export type AnyReadModel = {
  readonly name: string;
  readonly version: number;
  readonly entity: new () => object;
  readonly touches: (event: Recorded) => readonly string[];
  readonly evolve: (row: object | undefined, event: Recorded, key: string) => object | null;
  readonly forgets: (event: Recorded) => string | null;
  readonly appendOnly: boolean;
};

/** Forgets the row and event types of a definition, which were checked where it was written. */
export function readModel<Row extends object, Event extends DomainEvent>(
  types: readonly Event['type'][],
  { entity, touches, evolve, forgets = () => null, ...rest }: ReadModel<Row, Event>,
): AnyReadModel {
  // The newest version of the shape of each type that this version of the product can read.
  const newest = new Map<string, number>(
    catalogue.types.filter(({ type }) => types.includes(type)).map(({ type, schema }) => [type, schema]),
  );
  const isOurs = (event: Recorded): event is Recorded<Event> => {
    const schema = newest.get(event.type);
    if (schema === undefined) return false;
    if (event.schema <= schema) return true;
    // A newer version of the product has written it, and would read it otherwise than we can.
    throw new Error(`Schema version ${event.schema} of ${event.type} is unknown.`);
  };
  return {
    name: rest.name,
    version: rest.version,
    appendOnly: rest.appendOnly ?? false,
    entity,
    touches: (event) => (isOurs(event) ? touches(event) : []),
    forgets: (event) => (isOurs(event) ? forgets(event) : null),
    evolve: (row, event, key) => (isOurs(event) ? evolve(row as Row | undefined, event, key) : (row ?? null)),
  };
}
