import type { z } from 'zod';
import type { SummaryContext } from './summary-words.js';

/** Turns the data of one stored version into the data of the next. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of an older version exists only in stored events
export type Upcast = (older: any) => unknown;

/** Consequences of an event that readers of the log act on, whatever else they know of its type. */
export type Consequences = {
  /** The last event of its stream that clients see. */
  readonly endsStream?: true;
  /** Somebody who could watch the site may no longer be allowed to. */
  readonly changesRights?: true;
  /** A person has left the site. Their account may be erased next, so what was prepared with their name is outdated. */
  readonly removesPerson?: true;
  /** Another deploy is live from now on. */
  readonly movesLive?: true;
  /** The site is no longer served, until an event says otherwise. */
  readonly stopsServing?: true;
  /** The site is gone for good. */
  readonly endsSite?: true;
  /** The site’s log lists the event among deploys. */
  readonly isDeploy?: true;
  /** The site’s log shows the event as a warning. */
  readonly isWarning?: true;
};

/** What an event means to others than the rules of its own subject. */
export type Meaning<Data> = Consequences & {
  /** The line that the history and the log of a site show for the event. Every event of a site has one. */
  readonly summary?: (data: Data, context: SummaryContext) => string;
};

/**
 * Names a kind of fact, gives it a shape and says what it means.
 *
 * The schema version is never written by hand: it is one more than the number of
 * upcasts, so a shape cannot change without saying how its past is read. What is
 * written is checked (`check`); what is read was checked when it was written.
 */
export function eventType<Name extends string, Shape extends z.ZodType>(
  name: Name,
  shape: Shape,
  meaning: Meaning<z.output<Shape>> = {},
  ...upcasts: Upcast[]
) {
  const make = (data: z.output<Shape>) => ({ type: name, data });

  return Object.assign(make, {
    type: name,
    schema: upcasts.length + 1,
    shape: shape as z.ZodType,
    meaning: meaning as Meaning<unknown>,
    /** Throws a ZodError for data that is not of this shape. */
    check: (data: unknown): unknown => shape.parse(data),
    read: (stored: unknown, schema: number) =>
      upcasts.slice(schema - 1).reduce<unknown>((data, upcast) => upcast(data), stored) as z.output<Shape>,
  });
}

export type EventOf<T extends (data: never) => unknown> = ReturnType<T>;

export type AnyEventType = {
  readonly type: string;
  readonly schema: number;
  /** What `check` checks. */
  readonly shape: z.ZodType;
  readonly meaning: Meaning<unknown>;
  readonly check: (data: unknown) => unknown;
  readonly read: (stored: unknown, schema: number) => unknown;
};

/** Returns the names of the types with this consequence. */
export const typesWith = (types: readonly AnyEventType[], consequence: keyof Consequences): ReadonlySet<string> =>
  new Set(types.filter(({ meaning }) => meaning[consequence]).map(({ type }) => type));

/** Knows every event there is. An engine asks it how to write a fact down and how to read it back. */
export class Catalogue {
  readonly #types: ReadonlyMap<string, AnyEventType>;

  constructor(types: readonly AnyEventType[]) {
    this.#types = new Map(types.map((type) => [type.type, type]));
    if (this.#types.size !== types.length) throw new Error('Two event types have the same name.');
  }

  /** The schema version an event is written in, once its data has been found to fit. */
  write(type: string, data: unknown): number {
    const known = this.#types.get(type);
    if (!known) throw new Error(`Unknown event type '${type}'.`);
    known.check(data);
    return known.schema;
  }

  /** Whether events of this type can be read, in this version of their shape: a newer product may have written them. */
  knows(type: string, schema: number): 'known' | 'unknown' | 'newer' {
    const known = this.#types.get(type);
    if (!known) return 'unknown';
    return schema > known.schema ? 'newer' : 'known';
  }

  /** Every type there is. */
  get types(): readonly AnyEventType[] {
    return [...this.#types.values()];
  }

  /** Stored data in the newest shape. A type from a newer version of the product is handed on as it is: readers skip it. */
  read(type: string, data: unknown, schema: number): unknown {
    const known = this.#types.get(type);
    return known ? known.read(data, schema) : data;
  }
}
