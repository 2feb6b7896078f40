import { withoutColours } from '../../../kernel/output/terminal-text.js';
import type { EventText } from '../live-stream.js';

const known = new WeakMap<EventText, EventText>();

/**
 * Wraps a function that formats events as text, so that the text has no colours. Returns the same function for the same
 * format, so that clients share encoded frames.
 */
export function uncoloured(textOf: EventText): EventText {
  const made = known.get(textOf) ?? ((event, data) => withoutColours(textOf(event, data)));
  known.set(textOf, made);
  return made;
}
