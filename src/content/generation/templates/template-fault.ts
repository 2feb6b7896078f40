/** Thrown at startup for an unusable template. The message contains the template’s name and the fault’s location. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Location in a page. Lines and columns start at 1. */
export type Place = { readonly startLine: number; readonly startCol: number };

/** Throws for a fault in a template. The location is missing for nodes that the parser added. */
export type Blame = (at: Place | null | undefined, what: string) => never;
