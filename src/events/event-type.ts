import type { z } from 'zod';
import type { SummaryContext } from './summary-words.js';

export type Upcast = {
  /** Data that was stored in the older schema version. It never changes, because stored events do not change either. */
  readonly example: object;
  readonly convert: (older: unknown) => unknown;
};

/** Defines how data of one schema version is converted to the next version. */
export const upcast = (
  example: object,
  // biome-ignore lint/suspicious/noExplicitAny: the shape of an older version exists only in stored events
  convert: (older: any) => unknown,
): Upcast => ({ example, convert });

/** Consequences of an event. Code that reads the log acts on these flags, whatever the type of the event. */
export type Consequences = {
  /** Clients can see no further event of the stream. */
  readonly endsStream?: true;
  /** Someone who could watch the site might have lost that right. */
  readonly changesRights?: true;
  /** A user has left the site and might be erased next, so prepared texts that contain their name are outdated. */
  readonly removesPerson?: true;
  /** Another deploy is now live. */
  readonly movesLive?: true;
  /** The site is not served until a later event changes this. */
  readonly stopsServing?: true;
  readonly endsSite?: true;
  /** The site’s log lists the event among its deploys. */
  readonly isDeploy?: true;
  /** The site’s log shows the event as a warning. */
  readonly isWarning?: true;
};

/**
 * Kinds of changes that `If-Match` distinguishes. `content`: what visitors get. `access`: who controls and sees the
 * site. `presentation`: the site’s name and details.
 */
export type KindOfChange = 'content' | 'access' | 'presentation';

/** A kind of change, and words for the description of `If-Match` in `/openapi.json`. */
export type SiteChange = { readonly kind: KindOfChange } & (
  | {
      /** Completes “someone has … the site”, such as `deployed`. */
      readonly done: string;
    }
  | {
      /** Each item completes “someone has changed …”, such as `its title`. */
      readonly changed: readonly string[];
    }
);

export type Meaning<Data> = Consequences & {
  /**
   * How the event changes the site. Requests that depend on this kind of change fail if their `If-Match` is older than
   * the event (`modules/sites/site/if-match.rule.ts`). If null, only requests to delete the site fail. Required for
   * every event of a site.
   */
  readonly changes?: SiteChange | null;
  /** Returns the line that a site's history and log show. Required for every event of a site. */
  readonly summary?: (data: Data, context: SummaryContext) => string;
};

/** Everything that defines an event type, apart from its name, its schema and its upcasts. */
export type Definition<Data> = Meaning<Data> & {
  /**
   * Example data in the current schema version, as it is stored. The tests read and write it. When the schema changes,
   * move this example to the upcast.
   */
  readonly example: Data;
};

/**
 * Defines an event type. The schema version is the number of upcasts plus one, so that no schema can change without an
 * upcast for older events. Data is validated when it is written (`check`), but not when it is read.
 */
export function eventType<Name extends string, Shape extends z.ZodType>(
  name: Name,
  shape: Shape,
  { example, ...meaning }: Definition<z.output<Shape>>,
  ...upcasts: Upcast[]
) {
  const make = (data: z.output<Shape>) => ({ type: name, data });

  return Object.assign(make, {
    type: name,
    schema: upcasts.length + 1,
    shape: shape as z.ZodType,
    meaning: meaning as Meaning<unknown>,
    example,
    /** The example data of each schema version as it is stored, oldest first. */
    examples: [...upcasts.map((older) => older.example), example] as readonly unknown[],
    /** Validates data. Throws a ZodError if it does not match the schema. */
    check: (data: unknown): unknown => shape.parse(data),
    read: (stored: unknown, schema: number) =>
      upcasts.slice(schema - 1).reduce<unknown>((data, { convert }) => convert(data), stored) as z.output<Shape>,
  });
}

export type EventOf<T extends (data: never) => unknown> = ReturnType<T>;

export type AnyEventType = {
  readonly type: string;
  readonly schema: number;
  readonly shape: z.ZodType;
  readonly meaning: Meaning<unknown>;
  readonly examples: readonly unknown[];
  readonly check: (data: unknown) => unknown;
  readonly read: (stored: unknown, schema: number) => unknown;
};

export const selectTypes = (types: readonly AnyEventType[], consequence: keyof Consequences): ReadonlySet<string> =>
  new Set(types.filter(({ meaning }) => meaning[consequence]).map(({ type }) => type));

/** All event types. Event stores use this catalogue to write and read the data of events. */
export class Catalogue {
  readonly #types: ReadonlyMap<string, AnyEventType>;

  constructor(types: readonly AnyEventType[]) {
    this.#types = new Map(types.map((type) => [type.type, type]));
    if (this.#types.size !== types.length) throw new Error('Two event types have the same name.');
  }

  /** Validates the data. Returns the schema version in which to store it. */
  write(type: string, data: unknown): number {
    const known = this.#types.get(type);
    if (!known) throw new Error(`Unknown event type '${type}'.`);
    known.check(data);
    return known.schema;
  }

  /** Reports whether this version of the product can read the event. */
  knows(type: string, schema: number): 'known' | 'unknown' | 'newer' {
    const known = this.#types.get(type);
    if (!known) return 'unknown';
    return schema > known.schema ? 'newer' : 'known';
  }

  get types(): readonly AnyEventType[] {
    return [...this.#types.values()];
  }

  /** Returns stored data in the newest schema version. Returns data of unknown types unchanged. */
  read(type: string, data: unknown, schema: number): unknown {
    const known = this.#types.get(type);
    return known ? known.read(data, schema) : data;
  }
}
