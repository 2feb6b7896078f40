import type { SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { siteEvents } from '../../../events/site/site.events.js';
import { PageQuery } from '../../../http/api/schemas/pagination.js';
import { namesWithCommas } from '../../../http/api/schemas/texts.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import type { HistoryRow } from '../../../projections/models/history.projection.js';

const types = siteEvents.map(({ type }) => type);
const kinds = ['anonymous', 'user', 'system'];

const time = z.iso.datetime({ offset: true, error: 'is not a time such as 2026-11-20T10:54:00Z (RFC 3339)' });

const Filters = z.object({
  type: namesWithCommas(types)
    .optional()
    .meta({ description: `One of ${types.join(', ')}; or several, with commas between.` }),
  actor: z
    .string()
    .regex(/^(anonymous|user|system|[a-z]{3}_[0-9a-z]{26})$/, `is none of ${kinds.join(', ')}, and not the id of one`)
    .optional()
    .meta({ description: 'A kind of actor (`anonymous`, `user`, `system`), or the id of one.' }),
  since: time.optional().meta({ description: 'Nothing before this time (RFC 3339).' }),
  until: time.optional().meta({ description: 'Only what is before this time (RFC 3339).' }),
});

export const HistoryQuery = PageQuery.extend(Filters.shape).refine(
  ({ since, until }) => since === undefined || until === undefined || Date.parse(since) <= Date.parse(until),
  { path: ['until'], error: 'is before since' },
);

type HistoryFilter = z.output<typeof HistoryQuery>;

/** Parameters that would leave something out of an export, which can only be checked whole. */
export const partial = [...Object.keys(Filters.shape), ...Object.keys(PageQuery.shape)];

/** Leaves in a selection of history rows what was asked for. */
export function filtered(rows: SelectQueryBuilder<HistoryRow>, { type, actor, since, until }: HistoryFilter) {
  if (type) rows.andWhere('entry.type in (:...type)', { type });
  // Canonical text: in a name, a quote would be escaped, so these members stand nowhere else.
  const member = actor && `${canonical(kinds.includes(actor) ? 'kind' : 'id')}:${canonical(actor)}`;
  if (member) rows.andWhere('strpos(entry.actor, :member) > 0', { member });
  if (since) rows.andWhere('entry.at >= :since', { since: new Date(since) });
  if (until) rows.andWhere('entry.at < :until', { until: new Date(until) });
  return rows;
}
