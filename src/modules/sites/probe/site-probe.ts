import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { isProbeSite } from '../../../events/site/site.events.js';
import { ProbeToken } from '../../../http/auth/strategies/probe-token.js';
import { sameDigest } from '../../../kernel/command-context.js';
import { Ids } from '../../../kernel/ids.js';
import { ProbeSite } from '../../../kernel/ports/probe-site.js';
import { probeSlug } from '../../../kernel/reserved-names.js';
import { CreateSite } from '../deploy/create-site.js';
import { UploadReceiver } from '../deploy/upload-receiver.js';
import { type FoundSite, SiteDirectory } from '../site/site-directory.js';

/** After a day of one each minute there is a new site. */
const MOST_DEPLOYS = 1_440;

const CALLER = { editTokenHash: null, userId: null };

/** The probe’s sites, as those see them who publish. */
@Injectable()
export class SiteProbe extends ProbeSite {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(UploadReceiver) private readonly uploads: UploadReceiver,
    @Inject(ProbeToken) private readonly token: ProbeToken,
    @Inject(Ids) private readonly ids: Ids,
  ) {
    super();
  }

  override async open(at: string) {
    const found = await this.directory.find(probeSlug, at);
    if (!found || !this.#isUsable(found)) return this.#make(at);
    const { head } = await this.directory.stateOf(found.siteId);
    return { revision: head.revision };
  }

  #isUsable({ siteId, state }: FoundSite): boolean {
    if (!isProbeSite(siteId) || state.status !== 'live' || state.takenDown) return false;
    const isOurs = state.editTokenHash !== null && sameDigest(state.editTokenHash, this.token.hash);
    return isOurs && state.deploys.length < MOST_DEPLOYS;
  }

  async #make(at: string) {
    const siteId = this.ids.make('prb');
    const { manifest, files, bytes } = await this.uploads.receivePage('<!doctype html><title>Probe</title>', CALLER);
    await this.directory.handOver(probeSlug, siteId, at);
    const { head } = await this.commands.execute(
      new CreateSite({
        context: { at, caller: CALLER },
        siteId,
        slug: probeSlug,
        editTokenHash: this.token.hash,
        owner: null,
        content: {
          ...{ manifest, files, bytes, deployId: this.ids.make('dep'), source: 'upload', message: null },
          ...{ jobId: null, commit: null, provenance: null, program: null },
        },
        expiresAt: null,
        attempt: 'first',
      }),
    );
    return { revision: head.revision };
  }
}
