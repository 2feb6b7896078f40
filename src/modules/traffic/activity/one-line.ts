/** The longest text that is kept, in characters. */
const LONGEST = 1_000;

/** Controls of terminals, and marks that make text read in another order than it has. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/** A text of somebody's as one line that can be stored and acts on nothing. */
export function oneLine(text: string): string {
  const line = text.slice(0, LONGEST + 1).replace(CONTROLS, ' ').trim();
  return (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line).toWellFormed();
}
