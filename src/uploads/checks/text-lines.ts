/** The number of the line that a position is in, from 1. */
export const lineAt = (text: string, position: number) => text.slice(0, position).split('\n').length;
