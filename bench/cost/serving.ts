// URLs of a site, with the worst input from its own files and from its visitors.
import type { WorstCase } from './service.ts';
import { HEAD_BYTES, worstHeaders, worstTexts } from './worst.ts';

/** A site with many rules, whose paths differ from a requested path only at the end, so that each comparison is slow. */
export const heavySite = {
  files: [
    { path: 'index.html', content: '<h1>a</h1>' },
    { path: 'large.txt', content: 'text '.repeat(100_000) },
    {
      path: '_redirects',
      content: Array.from({ length: 1_900 }, (_, n) => `/${'a/'.repeat(8)}${n}/*  /x/${n}/:splat  301\n`).join(''),
    },
    {
      path: '_headers',
      content: Array.from({ length: 490 }, (_, n) => `/*/${'a/'.repeat(8)}${n}\n  x-${n}: :splat\n`).join(''),
    },
  ],
};

/** A site that is requested by its own host, by the host of one of its deploys, and by path. */
type Visited = { slug: string; deployId: string; siteDomain: string };

export function* worstVisits({ slug, deployId, siteDomain }: Visited): Generator<WorstCase> {
  const forms: [form: string, headers: Record<string, string>, base: string][] = [
    ['host', { host: `${slug}.${siteDomain}` }, ''],
    ['preview', { host: `${deployId.replace('_', '-')}.${siteDomain}` }, ''],
    ['path', {}, `/s/${slug}`],
    ['gate', { host: `${slug}.${siteDomain}` }, '/.stele'],
  ];
  for (const [form, headers, base] of forms) {
    for (const text of worstTexts(HEAD_BYTES / 6)) {
      const encoded = encodeURIComponent(text.toWellFormed());
      for (const path of [`${base}/${encoded}`, `${base}/?${encoded}`, `${base}/${'a/'.repeat(4_000)}`])
        yield { what: `${form}: path`, request: { path: path.slice(0, HEAD_BYTES), headers } };
      const plain = text.replaceAll(/[^\x21-\x7e]/g, 'a');
      yield { what: `${form}: path`, request: { path: `${base}/${plain}`.slice(0, HEAD_BYTES), headers } };
    }
    for (const file of ['/', '/large.txt', '/nothing'])
      for (const [name, value] of worstHeaders)
        yield { what: `${form}: ${name}`, request: { path: base + file, headers: { ...headers, [name]: value } } };
  }
}
