import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const tracked = (...patterns: readonly string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(path));

/** Not checked, because its only link is a placeholder. */
const TEMPLATE = 'docs/decisions/template.md';

const documents = tracked('*.md').filter(
  (path) => path !== TEMPLATE && /^(?:[A-Z]+\.md$|docs\/|examples\/|bench\/|tools\/)/.test(path),
);

const read = (path: string) => readFileSync(path, 'utf8');
const withoutCode = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** Returns explicit anchors, and the anchors that GitHub generates for headings (with `-1` and so on if repeated). */
function anchorsOf(path: string): ReadonlySet<string> {
  const text = read(path).replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  const counts = new Map<string, number>();
  const headings = [...text.matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => {
    const anchor = anchorOf(heading);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
}

const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

const brokenLinksIn = (path: string): readonly string[] =>
  [...withoutCode(read(path)).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !leadsSomewhere(path, link));

function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#', 2);
  const target = file === '' ? from : normalize(join(dirname(from), file));
  if (!existsSync(target)) return false;
  if (anchor === undefined) return true;
  return statSync(target).isFile() && target.endsWith('.md') && anchorsOf(target).has(anchor);
}

describe('Links between documents', () => {
  it.each(documents)('links in %s lead to existing files and headings', (path) => {
    expect(brokenLinksIn(path)).toEqual([]);
  });
});

describe('Paths in documents', () => {
  /** Leaves out `tools/`, because `tools/call` is a method of MCP. */
  const PATH = /`((?:src|test|bench|clients|docs)\/[\w./-]+)`/g;

  it.each(documents.filter((path) => !path.startsWith('docs/lab/')))('paths in %s exist', (path) => {
    const named = [...read(path).matchAll(PATH)].map(([, each = '']) => each);
    expect(named.filter((each) => !existsSync(each))).toEqual([]);
  });

  it('the subfolders that the architecture document lists for a folder exist', () => {
    const [, section = ''] = read('docs/architecture.md').split(/^## (?=Folders$)/m);
    const rows = [...(section.split(/^## /m)[0] ?? '').matchAll(/^\| `(\w+)\/` \|(.*)\|$/gm)];
    const missing = rows.flatMap(([, folder = '', contents = '']) => {
      const root = ['src', 'src/modules'].map((parent) => join(parent, folder)).find((each) => existsSync(each));
      const folders = tracked(`${root}/`).map((path) => `/${dirname(path)}/`);
      const named = [...contents.matchAll(/`(\w[\w/-]*)\/`/g)].map(([, each = '']) => each);
      return named
        .filter((each) => !folders.some((one) => one.includes(`/${each}/`)))
        .map((each) => `${folder}: ${each}`);
    });
    expect(rows.length).toBeGreaterThan(25);
    expect(missing).toEqual([]);
  });

  it('CONTRIBUTING.md has at most 10,000 bytes and README.md at most 9,000', () => {
    expect(statSync('CONTRIBUTING.md').size).toBeLessThanOrEqual(10_000);
    expect(statSync('README.md').size).toBeLessThanOrEqual(9_000);
  });
});

describe('Documentation headings that source comments cite', () => {
  const citations = tracked('src', 'test', 'tools', 'bench').flatMap((path) =>
    [...unwrapped(read(path)).matchAll(/(docs\/[\w/-]+\.md), ["“]([^"”]+)["”]/g)].map(
      ([, document = '', heading = '']) => ({
        path,
        document,
        heading,
      }),
    ),
  );

  it('every heading that a source comment cites exists', () => {
    expect(citations.length).toBeGreaterThan(50);
    expect(citations.filter(({ document, heading }) => !hasHeading(document, heading))).toEqual([]);
  });
});

/** Joins the lines of comments, because a citation may be wrapped. */
function unwrapped(source: string): string {
  return source.replaceAll(/\n\s*(?:\*|\/\/) /g, ' ');
}

const hasHeading = (document: string, heading: string) =>
  existsSync(document) &&
  read(document)
    .split('\n')
    .some((line) => line.replace(/^#{1,6} /, '') === heading && line.startsWith('#'));
