import type { EventText } from '../live-stream.js';

/** Select Graphic Rendition (ECMA-48 section 8.3.117), the only control sequence in plain-text streams. */
const COLOUR = new RegExp(`${String.fromCharCode(0x1b)}\\[[\\d;:]{0,64}m`, 'g');

const known = new WeakMap<EventText, EventText>();

/** Removes the colours. Returns the same function for the same format, so that clients share encoded frames. */
export function uncoloured(textOf: EventText): EventText {
  const made = known.get(textOf) ?? ((event, data) => textOf(event, data).replace(COLOUR, ''));
  known.set(textOf, made);
  return made;
}
