import { Feed } from 'feed';
import { kinds, type Version } from './changelog.js';

export function formatRss(versions: readonly Version[], baseUrl: string): string {
  const released = versions.flatMap(({ date, ...rest }) => (date === null ? [] : [{ ...rest, date: new Date(date) }]));
  const feed = new Feed({
    title: 'Stele: changes',
    description: 'New features and changes in Stele.',
    link: `${baseUrl}/v1/changelog.md`,
    language: 'en',
    feed: `${baseUrl}/v1/changelog.rss`,
    generator: false,
    // The feed has the date of the latest release, so it stays the same until the next release.
    updated: released[0]?.date ?? new Date(0),
  });
  for (const { version, date, changes } of released) {
    feed.addItem({
      title: `Stele ${version}`,
      link: `${baseUrl}/v1/changelog.md`,
      guid: `stele-${version}`,
      date,
      description: htmlOf(changes),
    });
  }
  return feed.rss2();
}

const htmlOf = (changes: Version['changes']) =>
  kinds
    .flatMap((kind) => {
      const list = changes[kind];
      if (!list) return [];
      const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
      return [`<h3>${title}</h3><ul>${list.map((entry) => `<li>${inline(entry)}</li>`).join('')}</ul>`];
    })
    .join('');

/** Converts inline Markdown of a changelog entry to HTML. Supports only code and links to web pages. */
const inline = (entry: string) =>
  entry
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\][]+)\]\((https?:[^)[\s]+)\)/g, '<a href="$2">$1</a>');
