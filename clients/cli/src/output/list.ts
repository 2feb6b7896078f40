import type { Output } from './output.js';
import { formatTable } from './table.js';

export type ListFormat<Item> = {
  /** Returns the identifier of an entry, which --quiet prints for scripts. */
  readonly id: (item: Item) => string;
  readonly headings: readonly string[];
  readonly row: (item: Item) => readonly string[];
};

type Page<Item> = {
  readonly items: readonly Item[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
};

export function showList<Item>(output: Output, items: readonly Item[], format: ListFormat<Item>, json = {}): void {
  output.result({
    json: { items, ...json },
    quiet: items.map(format.id).join('\n'),
    text: formatTable(format.headings, items.map(format.row)),
  });
}

export function showPage<Item>(output: Output, page: Page<Item>, format: ListFormat<Item>): void {
  showList(output, page.items, format, { total: page.total });
  mentionNextPage(output, page);
}

export function mentionNextPage(output: Output, { page, limit, total }: Omit<Page<unknown>, 'items'>): void {
  if (page * limit < total)
    output.note(`This is page ${page} of ${Math.ceil(total / limit)}. To see more, add --page ${page + 1}.`);
}
