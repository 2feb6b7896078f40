import { z } from 'zod';

const wholeNumber = (max: number, fallback: number) => z.coerce.number().int().min(1).max(max).default(fallback);

/** Query of a list. `limit` ranges from 1 to 100 (docs/interface/conventions.md, "Bodies and lists"). */
export const PageQuery = pageQuery(100, 20);

/** Query parameters of a list. `limit` is between 1 and `most`, and `usual` by default. */
export function pageQuery(most: number, usual: number) {
  return z.object({ page: wholeNumber(1_000_000, 1), limit: wholeNumber(most, usual) });
}

export type PageRequest = z.output<typeof PageQuery>;

/** Schema of one page of a list. `total` counts the items on all pages. */
export const buildPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), page: z.number().int(), limit: z.number().int(), total: z.number().int() });

export const takePage = <Item>(all: readonly Item[], { page, limit }: PageRequest) => ({
  items: all.slice((page - 1) * limit, page * limit),
  page,
  limit,
  total: all.length,
});

export const skipAndTake = ({ page, limit }: PageRequest) => ({ skip: (page - 1) * limit, take: limit });
