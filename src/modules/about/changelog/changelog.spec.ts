import { describe, expect, it } from '@jest/globals';
import { parseChangelog } from './changelog.js';
import { formatRss } from './feed.js';

const markdown = `# Changelog

What this is.

## [Unreleased]

### Added

- One thing.

## [1.1.0] - 2026-03-04

Some words before.

### Added

- A thing that goes on
  in the next line.
- \`code\` & <b> and a [link](https://stele.example/x)
  - a part of it

### Fixed

* With a star.

### Whatever

- Not a kind of change.

## [1.0.0] - 2026-01-02
`;

const versions = parseChangelog(markdown);

describe('Parsing a changelog', () => {
  it('groups changes by version and kind', () =>
    expect(versions).toEqual([
      { version: 'Unreleased', date: null, changes: { added: ['One thing.'] } },
      {
        version: '1.1.0',
        date: '2026-03-04',
        changes: {
          added: [
            'A thing that goes on in the next line.',
            '`code` & <b> and a [link](https://stele.example/x) a part of it',
          ],
          fixed: ['With a star.'],
        },
      },
      { version: '1.0.0', date: '2026-01-02', changes: {} },
    ]));

  it('accepts Windows line endings', () => expect(parseChangelog(markdown.replaceAll('\n', '\r\n'))).toEqual(versions));

  it('returns no versions for an empty changelog', () => expect(parseChangelog('# Changelog\n')).toEqual([]));
});

describe('The feed of a changelog', () => {
  const rss = formatRss(versions, 'https://stele.example');
  const items = rss.split('<item>').slice(1);

  it('the feed has one item per release and omits unreleased changes', () => {
    expect(items).toHaveLength(2);
    expect(items[0]).toContain('<title><![CDATA[Stele 1.1.0]]></title>');
    expect(rss).not.toContain('One thing.');
  });

  it('each feed item has a stable ID and the date of its release', () => {
    expect(items[0]).toContain('<guid isPermaLink="false">stele-1.1.0</guid>');
    expect(items[0]).toContain('<pubDate>Wed, 04 Mar 2026 00:00:00 GMT</pubDate>');
    expect(rss).toContain('<lastBuildDate>Wed, 04 Mar 2026 00:00:00 GMT</lastBuildDate>');
  });

  it('the feed contains its own URL', () =>
    expect(rss).toContain(
      '<atom:link href="https://stele.example/v1/changelog.rss" rel="self" type="application/rss+xml"/>',
    ));

  it('the feed renders changes as HTML and escapes any markup in them', () =>
    expect(items[0]).toContain(
      '<li><code>code</code> &amp; &lt;b&gt; and a <a href="https://stele.example/x">link</a> a part of it</li>',
    ));
});
