import type { SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { PageQuery } from '../../../edge/http/api/schemas/pagination.js';
import { namesWithCommas } from '../../../edge/http/api/schemas/texts.js';
import { siteEvents } from '../../../events/site/site.events.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import type { HistoryRow } from '../../../projections/models/history.projection.js';

const types = siteEvents.map(({ type }) => type);
const kinds = ['anonymous', 'user', 'system'];

const time = z.iso.datetime({ offset: true, error: 'must be a time in RFC 3339 format, such as 2026-11-20T10:54:00Z' });

const Filters = z.object({
  type: namesWithCommas(types)
    .optional()
    .meta({ description: `Returns only events of these types, separated by commas: ${types.join(', ')}.` }),
  actor: z
    .string()
    .regex(/^(anonymous|user|system|[a-z]{3}_[0-9a-z]{26})$/, `must be ${kinds.join(', ')} or the ID of an actor`)
    .optional()
    .meta({
      description:
        'Returns only events with this actor: a kind of actor (`anonymous`, `user`, `system`), or the ID of an actor.',
    }),
  since: time.optional().meta({ description: 'Returns only events at or after this time (RFC 3339).' }),
  until: time.optional().meta({ description: 'Returns only events before this time (RFC 3339).' }),
});

export const HistoryQuery = PageQuery.extend(Filters.shape).refine(
  ({ since, until }) => since === undefined || until === undefined || Date.parse(since) <= Date.parse(until),
  { path: ['until'], error: 'must not be before `since`' },
);

type HistoryFilter = z.output<typeof HistoryQuery>;

/** Parameters that an export does not allow: it can only be verified if it contains every event. */
export const partial = [...Object.keys(Filters.shape), ...Object.keys(PageQuery.shape)];

/** Restricts a query of history rows to the requested events. */
export function filtered(rows: SelectQueryBuilder<HistoryRow>, { type, actor, since, until }: HistoryFilter) {
  if (type) rows.andWhere('entry.type in (:...type)', { type });
  // In canonical JSON, quotes inside a string are escaped, so this text can only match the field itself.
  const member = actor && `${canonical(kinds.includes(actor) ? 'kind' : 'id')}:${canonical(actor)}`;
  if (member) rows.andWhere('strpos(entry.actor, :member) > 0', { member });
  if (since) rows.andWhere('entry.at >= :since', { since: new Date(since) });
  if (until) rows.andWhere('entry.at < :until', { until: new Date(until) });
  return rows;
}
