import { domainToUnicode } from 'node:url';
import { z } from 'zod';
import type { DomainFindings } from '../../kernel/ports/outside/domain-checker.js';
import type { DomainRow } from '../../projections/models/domain.projection.js';
import type { LastCheck } from '../../tables/domain-checks.js';
import { lookAlikeWarning } from './hostname/look-alike.js';

const Expected = z.object({
  type: z.string(),
  name: z.string().meta({ description: 'Where in DNS the record belongs.' }),
  value: z.string(),
});

const RecordAnswer = z
  .object({
    type: z.enum(['TXT', 'CNAME', 'A', 'AAAA', 'CAA']),
    name: z.string(),
    expected: z.string(),
    found: z.array(z.string()),
    state: z.enum(['right', 'wrong', 'missing', 'unknown']).meta({
      description: '`unknown`: no server of DNS answered, which says nothing of the record.',
    }),
    advice: z.string().meta({ description: 'What to do about it; empty where nothing is to be done.' }),
  })
  .meta({ id: 'DomainRecord' });

export const domainStatus = z.enum(['pending', 'active', 'lost', 'failed']);

export const Domain = z
  .object({
    hostname: z.string(),
    slug: z.string(),
    status: domainStatus.meta({
      description:
        '`pending` until its records are found, for 7 days at most, then `failed`; `active` while it shows the site; `lost` when its records were gone for 72 hours, or name another site.',
    }),
    verification: Expected.extend({ type: z.literal('TXT') }),
    target: Expected.extend({ type: z.literal('CNAME') }),
    warning: z.string().nullable().meta({ description: 'What to look at twice: the name may be taken for another.' }),
    redirectTo: z.string().nullable().meta({ description: 'The domain of the site that visitors are sent on to.' }),
    visibility: z.enum(['public', 'password', 'members']).nullable().meta({
      description: 'Who may see the site under this name; null for what the site itself says.',
    }),
    hsts: z.boolean(),
    records: z.array(RecordAnswer).meta({ description: 'What the last check found.' }),
    checkedAt: z.string().nullable(),
    error: z.string().optional().meta({ description: 'What the last check lacked, in a sentence.' }),
    until: z.string().nullable().meta({
      description: 'When a pending one fails, or an active one is lost whose records are gone, unless they are found.',
    }),
    createdAt: z.string(),
    activeAt: z.string().nullable(),
  })
  .meta({ id: 'Domain' });

export type DomainAnswer = z.output<typeof Domain>;

type Shown = {
  readonly slug: string;
  /** {site_domain}, with its port where it has one. */
  readonly siteDomain: string;
  readonly last: LastCheck | null;
};

export function domainAnswer(row: DomainRow, { slug, siteDomain, last }: Shown): DomainAnswer {
  const { hostname, status, token, redirectTo, visibility, hsts, until, addedAt, activeAt } = row;
  // It was kept by this very service.
  const records = (last?.findings as Partial<DomainFindings> | undefined)?.records ?? [];
  const lacking = status === 'lost' || status === 'failed' ? undefined : records.find(({ advice }) => advice !== '');
  return {
    hostname,
    slug,
    status: status === 'removed' ? 'lost' : status,
    verification: { type: 'TXT', name: `_stele.${hostname}`, value: `stele=${token}` },
    target: { type: 'CNAME', name: hostname, value: `${slug}.${siteDomain.replace(/:\d+$/, '')}` },
    warning: lookAlikeWarning(domainToUnicode(hostname)),
    redirectTo,
    visibility,
    hsts,
    records: records.map((record) => ({ ...record, found: [...record.found] })),
    checkedAt: last?.checkedAt.toISOString() ?? null,
    ...(lacking && { error: lacking.advice }),
    until: until?.toISOString() ?? null,
    createdAt: addedAt.toISOString(),
    activeAt: activeAt?.toISOString() ?? null,
  };
}
