import { domainToUnicode } from 'node:url';
import { z } from 'zod';
import type { DomainFindings } from '../../kernel/ports/outside/domain-checker.js';
import type { DomainRow } from '../../projections/models/domain.projection.js';
import type { LastCheck } from './check/domain-checks.js';
import { lookAlikeWarning } from './hostname/look-alike.js';

const Expected = z.object({
  type: z.string(),
  name: z.string().meta({ description: 'Name of the DNS record.' }),
  value: z.string(),
});

const RecordAnswer = z
  .object({
    type: z.enum(['TXT', 'CNAME', 'A', 'AAAA', 'CAA']),
    name: z.string(),
    expected: z.string(),
    found: z.array(z.string()),
    state: z.enum(['right', 'wrong', 'missing', 'unknown']).meta({
      description: '`unknown` means that no DNS server responded, so nothing is known about the record.',
    }),
    advice: z.string().meta({ description: 'What to do about the record; empty if nothing needs to be done.' }),
  })
  .meta({ id: 'DomainRecord' });

export const domainStatus = z.enum(['pending', 'active', 'lost', 'failed']);

export const Domain = z
  .object({
    hostname: z.string(),
    slug: z.string(),
    status: domainStatus.meta({
      description:
        '`pending` until the DNS records are found; `failed` if they are not found within 7 days; `active` while the domain serves the site; `lost` if the records have been missing for 72 hours or point to another site.',
    }),
    verification: Expected.extend({ type: z.literal('TXT') }),
    target: Expected.extend({ type: z.literal('CNAME') }),
    warning: z
      .string()
      .nullable()
      .meta({ description: 'Warning that the name could be mistaken for another one, or null.' }),
    redirectTo: z
      .string()
      .nullable()
      .meta({ description: 'Another of the site’s domains, to which visitors are redirected, or null.' }),
    visibility: z.enum(['public', 'password', 'members']).nullable().meta({
      description: 'Who can view the site at this domain, or null if the site’s own setting applies.',
    }),
    hsts: z.boolean(),
    records: z.array(RecordAnswer).meta({ description: 'Results of the last check.' }),
    checkedAt: z.string().nullable(),
    error: z.string().optional().meta({ description: 'What to do about the first problem that the last check found.' }),
    until: z.string().nullable().meta({
      description:
        'Time at which a pending domain becomes `failed`, or an active domain with missing records becomes `lost`, unless the records are found first. Null for all other domains.',
    }),
    createdAt: z.string(),
    activeAt: z.string().nullable(),
  })
  .meta({ id: 'Domain' });

export type DomainResponse = z.output<typeof Domain>;

type Shown = {
  readonly slug: string;
  /** Domain whose subdomains are the hosts of sites, with the port if there is one. */
  readonly siteDomain: string;
  readonly last: LastCheck | null;
};

export function toDomainResponse(row: DomainRow, { slug, siteDomain, last }: Shown): DomainResponse {
  const { hostname, status, token, redirectTo, visibility, hsts, until, addedAt, activeAt } = row;
  // An earlier version of this service may have stored the findings, so fields may be missing.
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
