import { Feed } from 'feed';
import type { Incident } from '../incidents/incidents.js';
import { markdownOf } from '../incidents/markdown.js';

const MOST_ITEMS = 50;

/** RSS 2.0 with one item for each update of an incident, newest first. */
export function statusFeed(incidents: readonly Incident[], statusUrl: string, feedUrl: string): string {
  const items = incidents
    .flatMap(({ id, title, updates }) =>
      // Counted from the first, so that an update keeps its number.
      updates.map((update, n) => ({ ...update, id, title, number: updates.length - n })),
    )
    .toSorted((a, b) => b.at.getTime() - a.at.getTime())
    .slice(0, MOST_ITEMS);
  const feed = new Feed({
    title: 'Stele: incidents',
    description: 'Incidents at this service and updates about them.',
    link: statusUrl,
    language: 'en',
    feed: feedUrl,
    generator: false,
    updated: items[0]?.at ?? new Date(0),
  });
  // Many readers take a title for HTML.
  for (const { id, number, title, status, at, body } of items)
    feed.addItem({
      title: `${title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')} (${status})`,
      link: `${statusUrl}#${id}`,
      guid: `${id}-${number}`,
      date: at,
      description: markdownOf(body).markup,
    });
  return feed.rss2();
}
