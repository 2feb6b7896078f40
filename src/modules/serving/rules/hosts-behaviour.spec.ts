import { describe, expect, it } from '@jest/globals';
import { type Row, rows, sitesOfRows } from '../../../../test/support/sites/hosting-rule-cases.js';
import { manifestOf, rulesOf } from '../../../../test/support/sites/site-rules.js';
import { parseTarget } from '../sites/target.js';
import { type RuleOutcome, resolve } from './resolve.js';
import { chooseHeaders } from './site-rules.js';
import { withChosenHeaders } from './with-chosen-headers.js';

const inShort = (answer: RuleOutcome) =>
  answer.kind === 'redirect'
    ? `${answer.status} ${answer.location}`
    : answer.kind === 'file'
      ? `${answer.status} ${answer.file.path}`
      : `${answer.kind === 'nothing' ? answer.status : 'listing'}`;

async function answered({ site, request }: Row) {
  const { rules } = await rulesOf(site.redirects, site.headers);
  const target = parseTarget({ kind: 'site', slug: 'otter' }, request);
  const asked = { path: target?.path ?? '', query: target?.query ?? '', prefix: '/' };
  const answer = resolve({ manifest: manifestOf(site.files), rules }, asked);
  if (site.headers === '') return inShort(answer);
  const head = withChosenHeaders(
    {},
    chooseHeaders(rules, asked.path),
    'host',
    answer.kind === 'file' ? answer.status : 0,
  );
  return Object.entries(head)
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join(' | ');
}

describe('A site made for another host', () => {
  it('at least 80 documented responses of other hosts are tested', () =>
    expect(rows.length).toBeGreaterThanOrEqual(80));

  it.each(rows.map((row) => [row.request, row.expected, row.source, row] as const))(
    'responds to %s with %s, as documented in %s',
    async (_, expected, __, row) => expect(await answered(row)).toBe(expected),
  );

  it('a warning is given for each line of another host’s rules that has no effect, and for no other line', async () => {
    for (const { redirects, headers, ignored } of sitesOfRows) {
      const { warnings } = await rulesOf(redirects, headers);
      expect(warnings.map(({ file, line }) => `${file}:${line}`)).toEqual(ignored);
    }
  });
});
