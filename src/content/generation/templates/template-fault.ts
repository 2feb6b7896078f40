/** A template that cannot be used, with its name and the place in it: found when the service starts, never later. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
}

/** A place in a page, as editors count: from 1. */
export type Place = { readonly startLine: number; readonly startCol: number };

/** Tells of a fault in the page of a template. Without a place, the parser made the node by itself. */
export type Blame = (at: Place | null | undefined, what: string) => never;
