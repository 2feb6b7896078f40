import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ProbeToken } from '../../../edge/http/auth/strategies/probe-token.js';
import { isProbeSite } from '../../../events/site/site.events.js';
import { sameDigest } from '../../../kernel/command-context.js';
import { Ids } from '../../../kernel/ids.js';
import { Refusal } from '../../../kernel/refusal.js';
import { probeSlug } from '../../../kernel/reserved-names.js';
import { CreateSite } from '../publish/deploy/create-site.js';
import { UploadReceiver } from '../publish/deploy/upload-receiver.js';
import { SiteDirectory } from '../site/site-directory.js';
import type { Site } from '../site/state/site.state.js';

/**
 * The service tests itself with a probe, which deploys once per minute. After this many deploys, which is a day's
 * worth, the probe uses a new site.
 */
const MOST_DEPLOYS = 1_440;

/** Maximum number of attempts to create the probe's site. An attempt is repeated only if another process was faster. */
const MOST_TRIES = 5;

const CALLER = { editTokenHash: null, userId: null };

/** The site that the service publishes every minute to test itself. Callers cannot use its slug, `probeSlug`. */
@Injectable()
export class ProbeTarget {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly uploads: UploadReceiver,
    private readonly token: ProbeToken,
    private readonly ids: Ids,
  ) {}

  /**
   * Creates the site if it does not exist, and returns the revision of its stream. Uses a new site each day, so that no
   * history grows long. `at` is an RFC 3339 timestamp.
   */
  async open(at: string) {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#find(at);
      } catch (error) {
        const wasFaster = error instanceof Refusal && (error.code === 'slug_taken' || error.code === 'conflict');
        if (!wasFaster || tries === MOST_TRIES) throw error;
      }
    }
  }

  /**
   * Returns the revision of the site's stream, after creating the site if necessary. Refuses with `slug_taken` or
   * `conflict` if another process is creating the site at the same time.
   */
  async #find(at: string) {
    const holder = await this.directory.holderOf(probeSlug);
    if (holder !== null && isProbeSite(holder)) {
      const { state, head } = await this.directory.stateOf(holder);
      if (this.#isUsable(state)) return { revision: head.revision };
      // Another process is creating this site now, or exited before it could. Finish creating this site: if a different
      // one were created, two live sites would have the same slug.
      if (head.revision === 0) return this.#make(holder, at);
    }
    const siteId = this.ids.make('prb');
    await this.directory.handOver(probeSlug, holder, siteId, at);
    return this.#make(siteId, at);
  }

  #isUsable(state: Site): boolean {
    if (state.status !== 'live' || state.takenDown) return false;
    const isOurs = state.editTokenHash !== null && sameDigest(state.editTokenHash, this.token.hash);
    return isOurs && state.deploys.length < MOST_DEPLOYS;
  }

  async #make(siteId: string, at: string) {
    const { manifest, files, bytes } = await this.uploads.receivePage('<!doctype html><title>Probe</title>', CALLER);
    const { head } = await this.commands.execute(
      new CreateSite({
        context: { at, caller: CALLER },
        siteId,
        slug: probeSlug,
        editTokenHash: this.token.hash,
        owner: null,
        content: {
          ...{ manifest, files, bytes, deployId: this.ids.make('dep'), source: 'upload', message: null },
          ...{ jobId: null, commit: null, provenance: null, program: null, trusted: null, client: null },
        },
        expiry: null,
        attempt: 'first',
      }),
    );
    return { revision: head.revision };
  }
}
