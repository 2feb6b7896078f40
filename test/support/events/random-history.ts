import { SiteCreated, SiteDeployed, type SiteEvent, SiteRolledBack } from '../../../src/events/site/site.events.js';
import { digestOf } from './site-examples.js';

/** Returns a generator (mulberry32) of pseudorandom integers below its argument. */
export function seeded(seed: number) {
  let state = seed >>> 0;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

type Told = { readonly siteId: string; readonly event: SiteEvent };

/**
 * Returns an interleaved history of several sites: creations, deploys and rollbacks in a random order that the rules
 * allow.
 */
export function randomHistory(seed: number, length: number): Told[] {
  const random = seeded(seed);
  const sites: { readonly siteId: string; readonly deploys: string[]; live: string | null }[] = [];
  const story: Told[] = [];

  while (story.length < length) {
    const site = sites[random(sites.length + 1)];
    if (!site) {
      const siteId = `site_${seed}_${sites.length}`;
      sites.push({ siteId, deploys: [], live: null });
      const editTokenHash = random(3) === 0 ? null : digestOf(`${seed}`);
      story.push({ siteId, event: SiteCreated({ slug: `slug-${seed}-${sites.length}`, editTokenHash }) });
      continue;
    }
    const { siteId, deploys, live } = site;
    const earlier = deploys.filter((deployId) => deployId !== live);
    const target = earlier[random(earlier.length + 1)];
    if (live !== null && target !== undefined && random(3) === 0) {
      site.live = target;
      const back = { deployId: target, replaced: live };
      story.push({
        siteId,
        event: SiteRolledBack({
          ...{ ...back, number: null, manifest: manifestOf(target), program: null },
          ...{ rollbackId: null, trusted: null },
        }),
      });
    } else {
      const deployId = `dep_${siteId}_${deploys.length + 1}`;
      deploys.push(deployId);
      site.live = deployId;
      story.push({
        siteId,
        event: SiteDeployed({
          deployId,
          number: deploys.length,
          manifest: manifestOf(deployId),
          files: 1 + random(9),
          bytes: random(1_000_000_000),
          source: 'upload',
          jobId: null,
          commit: null,
          provenance: null,
          program: null,
          trusted: null,
          client: null,
          message: random(2) === 0 ? null : `message ${random(100)} “é🦦”, {"\\,NULL}`,
          replaced: live,
        }),
      });
    }
  }
  return story;
}

const manifestOf = (deployId: string) =>
  digestOf(
    [...deployId]
      .reduce((sum, character) => sum * 31n + BigInt(character.charCodeAt(0)), 7n)
      .toString(16)
      .slice(-60),
  );
