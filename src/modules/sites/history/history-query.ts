import type { SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { siteEvents } from '../../../events/site/site.events.js';
import { PageQuery } from '../../../http/api/schemas/pagination.js';
import { namesWithCommas } from '../../../http/api/schemas/texts.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import type { HistoryRow } from '../../../projections/models/history.projection.js';

const types = siteEvents.map(({ type }) => type);
const kinds = ['anonymous', 'user', 'system'];

const time = z.iso.datetime({ offset: true, error: 'must be a time in RFC 3339 format, such as 2026-11-20T10:54:00Z' });

const Filters = z.object({
  type: namesWithCommas(types)
    .optional()
    .meta({ description: `Types of events, separated by commas: ${types.join(', ')}.` }),
  actor: z
    .string()
    .regex(
      /^(anonymous|user|system|[a-z]{3}_[0-9a-z]{26})$/,
      `must be one of ${kinds.join(', ')}, or the ID of an actor`,
    )
    .optional()
    .meta({ description: 'Kind of actor (`anonymous`, `user` or `system`), or ID of an actor.' }),
  since: time.optional().meta({ description: 'Only events at or after this time (RFC 3339).' }),
  until: time.optional().meta({ description: 'Only events before this time (RFC 3339).' }),
});

export const HistoryQuery = PageQuery.extend(Filters.shape).refine(
  ({ since, until }) => since === undefined || until === undefined || Date.parse(since) <= Date.parse(until),
  { path: ['until'], error: 'must not be before `since`' },
);

type HistoryFilter = z.output<typeof HistoryQuery>;

/** Parameters that would leave something out of an export, which can only be checked whole. */
export const partial = [...Object.keys(Filters.shape), ...Object.keys(PageQuery.shape)];

/** Adds the filters of the query to a selection of history rows. */
export function filtered(rows: SelectQueryBuilder<HistoryRow>, { type, actor, since, until }: HistoryFilter) {
  if (type) rows.andWhere('entry.type in (:...type)', { type });
  // Canonical text: in a name, a quote would be escaped, so these members stand nowhere else.
  const member = actor && `${canonical(kinds.includes(actor) ? 'kind' : 'id')}:${canonical(actor)}`;
  if (member) rows.andWhere('strpos(entry.actor, :member) > 0', { member });
  if (since) rows.andWhere('entry.at >= :since', { since: new Date(since) });
  if (until) rows.andWhere('entry.at < :until', { until: new Date(until) });
  return rows;
}
