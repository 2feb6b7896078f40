/**
 * Thrown at startup if a template cannot be used. The message contains the template’s name and the location of the
 * fault.
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** A location in a page. Lines and columns start at 1, as in editors. */
export type Place = { readonly startLine: number; readonly startCol: number };

/** Throws an error for a fault in a template’s page. The location is missing for nodes that the parser added. */
export type Blame = (at: Place | null | undefined, what: string) => never;
