import { z } from 'zod';

const whole = (most: number, fallback: number) => z.coerce.number().int().min(1).max(most).default(fallback);

/** `page` from 1, `limit` from 1 to 100, 20 without one (docs/interface.md, "Bodies and lists"). */
export const PageQuery = z.object({ page: whole(1_000_000, 1), limit: whole(100, 20) });

export type PageRequest = z.output<typeof PageQuery>;

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), page: z.number().int(), limit: z.number().int(), total: z.number().int() });

/** For TypeORM: which rows a page has. */
export const slice = ({ page, limit }: PageRequest) => ({ skip: (page - 1) * limit, take: limit });
