import { z } from 'zod';

const wholeNumber = (max: number, fallback: number) => z.coerce.number().int().min(1).max(max).default(fallback);

/**
 * The query of a list: `page` from 1, `limit` from 1 to 100, 20 by default (docs/interface/conventions.md, "Bodies and
 * lists").
 */
export const PageQuery = pageQuery(100, 20);

/** The query of a list with its own page size: `limit` is from 1 to `most`, and `usual` by default. */
export function pageQuery(most: number, usual: number) {
  return z.object({ page: wholeNumber(1_000_000, 1), limit: wholeNumber(most, usual) });
}

export type PageRequest = z.output<typeof PageQuery>;

/** Schema of one page of a list. `total` counts the items of all pages. */
export const buildPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), page: z.number().int(), limit: z.number().int(), total: z.number().int() });

/** One page of a list that is entirely in memory. */
export const takePage = <Item>(all: readonly Item[], { page, limit }: PageRequest) => ({
  items: all.slice((page - 1) * limit, page * limit),
  page,
  limit,
  total: all.length,
});

/** The rows of a page, as options of TypeORM’s `find`. */
export const skipAndTake = ({ page, limit }: PageRequest) => ({ skip: (page - 1) * limit, take: limit });
