import type { AnyEventType } from '../event-type.js';
import { type Names, NO_NAMES, type SummaryActor } from '../summary-words.js';
import { siteEvents } from './site.events.js';

type SummarizedEvent = {
  readonly type: string;
  /** The schema version of `data`. Defaults to the newest one. */
  readonly schema?: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly actor: SummaryActor;
};

const types: ReadonlyMap<string, AnyEventType> = new Map(siteEvents.map((type) => [type.type, type]));

/** Returns a line that describes an event for users. Names the connected app or script that acted, if any. */
export function summarizeEvent(event: SummarizedEvent, names: Names = NO_NAMES): string {
  const { actor } = event;
  const what = describe(event, names);
  if (actor.token !== undefined) return `${what}, by ${names.script(actor)}`;
  return actor.client === undefined ? what : `${what}, by ${actor.client}`;
}

/** Returns only the type of an event that requires a newer version to read. */
function describe({ type, schema, data, actor }: SummarizedEvent, names: Names): string {
  const known = types.get(type);
  if (!known?.meaning.summary || (schema ?? 1) > known.schema) return type;
  return known.meaning.summary(known.read(data, schema ?? known.schema), { actor, names });
}
