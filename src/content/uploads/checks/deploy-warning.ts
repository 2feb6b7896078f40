/** Something the owner of a deploy may want to know. The deploy succeeded all the same. */
export type DeployWarning = { readonly file: string; readonly line?: number; readonly message: string };

/** A warning about one file, before its path is added. `line` counts from 1. */
export type InspectionFinding = { readonly line: number; readonly message: string };

/** The line that holds a character of a text: `position` counts from 0, lines from 1. */
export const lineAt = (text: string, position: number) => text.slice(0, position).split('\n').length;
