import { z } from 'zod';

const wholeNumber = (max: number, fallback: number) => z.coerce.number().int().min(1).max(max).default(fallback);

/**
 * The query of a list: `page` from 1, `limit` from 1 to 100, 20 by default (docs/interface/conventions.md, "Bodies and
 * lists").
 */
export const PageQuery = pageQuery(100, 20);

/** The query of a list of other lengths: `limit` from 1 to `most`, `usual` without it. */
export function pageQuery(most: number, usual: number) {
  return z.object({ page: wholeNumber(1_000_000, 1), limit: wholeNumber(most, usual) });
}

export type PageRequest = z.output<typeof PageQuery>;

/** The shape of one page of a list. `total` counts the items of all pages. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), page: z.number().int(), limit: z.number().int(), total: z.number().int() });

/** One page of a list that is there whole. */
export const pageWithin = <Item>(all: readonly Item[], { page, limit }: PageRequest) => ({
  items: all.slice((page - 1) * limit, page * limit),
  page,
  limit,
  total: all.length,
});

/** The rows of a page, as TypeORM’s `find` options. */
export const skipAndTake = ({ page, limit }: PageRequest) => ({ skip: (page - 1) * limit, take: limit });
