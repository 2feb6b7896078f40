import { catalogue } from '../events/catalogue.js';
import type { DomainEvent } from '../kernel/decider.js';
import type { Recorded } from '../kernel/event-store.js';

/**
 * A read model: a table, and the function that folds events into its rows. The definition works row by row, so that
 * live updates and rebuilds can share it (decision 0007).
 */
export type ReadModel<Row extends object, Event extends DomainEvent> = {
  readonly name: string;
  /**
   * Version of the model. Must be increased whenever the table or the function that applies events changes. The model
   * is then rebuilt from the first event.
   */
  readonly version: number;
  /** Declares the table. The primary key is a single text column. */
  readonly entity: new () => Row;
  /** Returns the keys of the rows that the event changes. The list can be empty. */
  readonly touches: (event: Recorded<Event>) => readonly string[];
  /** Returns the new row, or null to remove the row. `row` is undefined if the row does not exist yet. */
  readonly evolve: (row: Row | undefined, event: Recorded<Event>, key: string) => Row | null;
  /** Returns the ID of a site if the event removes all rows of this site (found by `siteId`), otherwise null. */
  readonly forgets?: (event: Recorded<Event>) => string | null;
  /** True if events only add rows or remove all rows of a site, so that existing rows need not be read first. */
  readonly appendOnly?: true;
};

export type AnyReadModel = {
  readonly name: string;
  readonly version: number;
  readonly entity: new () => object;
  readonly touches: (event: Recorded) => readonly string[];
  readonly evolve: (row: object | undefined, event: Recorded, key: string) => object | null;
  readonly forgets: (event: Recorded) => string | null;
  readonly appendOnly: boolean;
};

/**
 * Defines a read model. Its row and event types are checked here and then erased, so that models of all types can be
 * handled alike.
 */
export function defineReadModel<Row extends object, Event extends DomainEvent>(
  types: readonly Event['type'][],
  { entity, touches, evolve, forgets = () => null, ...rest }: ReadModel<Row, Event>,
): AnyReadModel {
  // The latest schema version of each event type that this version of Stele can read.
  const newest = new Map<string, number>(
    catalogue.types.filter(({ type }) => types.includes(type)).map(({ type, schema }) => [type, schema]),
  );
  const isOurs = (event: Recorded): event is Recorded<Event> => {
    const schema = newest.get(event.type);
    if (schema === undefined) return false;
    if (event.schema <= schema) return true;
    // A newer version of Stele wrote the event. This version could misinterpret it.
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
