/** Thrown at startup for an unusable template. Contains its name and the location of the fault. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Lines and columns start at 1. */
export type Place = { readonly startLine: number; readonly startCol: number };

/** The location is missing for nodes that the parser added. */
export type Blame = (at: Place | null | undefined, what: string) => never;
