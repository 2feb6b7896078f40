/** A template that cannot be used. The message has its name and the location. Only thrown when the service starts. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** A location in a page, counted from 1 as editors do. */
export type Place = { readonly startLine: number; readonly startCol: number };

/** Reports a fault in the page of a template. The location is missing for nodes that the parser added. */
export type Blame = (at: Place | null | undefined, what: string) => never;
