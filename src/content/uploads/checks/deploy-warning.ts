/** A possible problem that the owner of a deploy should know about. It does not make the deploy fail. */
export type DeployWarning = { readonly file: string; readonly line?: number; readonly message: string };

/** A warning about a file, without its path. Line numbers start at 1. */
export type InspectionFinding = { readonly line: number; readonly message: string };

/** Returns the number of the line with the character at `position`. Positions start at 0, lines at 1. */
export const lineAt = (text: string, position: number) => text.slice(0, position).split('\n').length;
