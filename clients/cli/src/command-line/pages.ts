import type { Output } from '../output/output.js';
import { type Command, parseCount, parseCountUpTo } from './command.js';

export type PageOptions = { readonly limit: number; readonly page: number };

/** Adds `--limit` and `--page`, which all long lists have. */
export const addPageOptions = (command: Command) =>
  command
    .option('--limit <count>', 'the number of entries on a page, up to 100', parseCountUpTo(100), 20)
    .option('--page <number>', 'the page of the list', parseCount, 1);

/** Mentions that a list has more pages. */
export function mentionNextPage(output: Output, { limit, page }: PageOptions, total: number): void {
  if (page * limit < total)
    output.note(`This is page ${page} of ${Math.ceil(total / limit)}. To see more, add --page ${page + 1}.`);
}
