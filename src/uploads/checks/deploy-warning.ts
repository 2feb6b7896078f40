/** Something that whoever deployed may want to know; the deploy went well all the same. */
export type DeployWarning = { readonly file: string; readonly line?: number; readonly message: string };
