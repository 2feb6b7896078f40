import { type Command, parseCount, parseCountUpTo } from './command.js';

export type PageOptions = { readonly limit: number; readonly page: number };

/** Adds `--limit` and `--page`, which all long lists have. */
export const addPageOptions = (command: Command) =>
  command
    .option('--limit <count>', 'the number of entries on a page, up to 100', parseCountUpTo(100), 20)
    .option('--page <number>', 'the page of the list', parseCount, 1);
