import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { BlobStore } from '../../../blobs/blob-store.js';
import { Addresses } from '../../../edge/addresses.js';
import { hashSecret, makeSecret } from '../../../edge/secrets.js';
import { SiteDeployed, type SiteEvent } from '../../../events/site.events.js';
import type { Given } from '../../../kernel/caller.js';
import { Ids } from '../../../kernel/ids.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { Outcome } from '../../../kernel/transactions.js';
import { DeployLimits } from '../../../settings.js';
import { type LiveSite, mayEdit } from '../may-edit.decide.js';
import type { Site } from '../site.state.js';
import { SiteDirectory } from '../site-directory.js';
import { CreateSite } from './create-site.js';
import { deployBody } from './deploy-body.js';
import { deployResult } from './deploy-result.js';
import type { Content } from './publish.decide.js';
import { RedeploySite } from './redeploy-site.js';
import { type TakenIn, takeIn } from './take-in.js';

type Found = NonNullable<Awaited<ReturnType<SiteDirectory['find']>>>;

/** From a request's body to a live site: content first, durable; then the event that publishes it. */
@Injectable()
export class Publishing {
  constructor(
    @Inject(BlobStore) private readonly blobs: BlobStore,
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(Ids) private readonly ids: Ids,
    @Inject(Addresses) private readonly addresses: Addresses,
    @Inject(DeployLimits) private readonly limits: DeployLimits,
  ) {}

  /** `slug` names a new site, or a site that the caller may edit; null has a name made. */
  async post(request: IncomingMessage, given: Given, slug: string | null, ifRevision: number | null) {
    const found = slug === null ? null : await this.directory.find(slug);
    if (!found) return this.#create(request, given, slug);
    if (!edits(found.state, given)) return refuse('slug_taken', `Another site is called “${slug}”.`);
    return this.#redeploy(request, given, found, ifRevision);
  }

  async patch(request: IncomingMessage, given: Given, slug: string, ifRevision: number | null) {
    const found = await this.directory.get(slug);
    // Before the body: who may not edit is told so before they upload a gigabyte. The rule decides again.
    mayEdit(found.state, given.caller);
    return this.#redeploy(request, given, found, ifRevision);
  }

  async #create(request: IncomingMessage, given: Given, slug: string | null) {
    const taken = await this.#takeIn(request);
    const editToken = makeSecret('edit');
    const content = this.#content(taken);
    const command = new CreateSite(given, this.ids.make('site'), slug, hashSecret(editToken), content);
    const outcome = await this.commands.execute(command);
    return this.#answer(outcome, given, content, taken, editToken);
  }

  async #redeploy(request: IncomingMessage, given: Given, { siteId }: Found, ifRevision: number | null) {
    const taken = await this.#takeIn(request);
    const content = this.#content(taken);
    const outcome = await this.commands.execute(new RedeploySite(given, siteId, content, ifRevision));
    return this.#answer(outcome, given, content, taken, null);
  }

  #takeIn(request: IncomingMessage) {
    return takeIn(this.blobs, deployBody(request, this.limits), this.limits);
  }

  #content = ({ manifest, files, bytes }: TakenIn): Content => ({
    deployId: this.ids.make('dep'),
    manifest,
    files,
    bytes,
    source: 'upload',
  });

  #answer(
    { state, events, head, position }: Outcome<Site, SiteEvent>,
    given: Given,
    content: Content,
    taken: TakenIn,
    editToken: string | null,
  ) {
    if (state.status === 'unknown') return refuse('conflict');
    const result = deployResult(this.addresses, {
      slug: state.slug,
      deployId: content.deployId,
      createdAt: given.at,
      unchanged: isUnchanged(state, events, content.manifest),
      content: taken,
      ...(editToken && { editToken }),
    });
    return { result, head, position };
  }
}

/** Whether what was live until now had the same content. */
function isUnchanged({ deploys }: LiveSite, events: readonly SiteEvent[], manifest: string): boolean {
  const published = events.find((event) => event.type === SiteDeployed.type);
  const replaced = published?.data.replaced;
  return deploys.some((deploy) => deploy.deployId === replaced && deploy.manifest === manifest);
}

/** Whether the caller could redeploy this site; for a POST on a taken slug the answer is `slug_taken` otherwise. */
function edits(state: Site, { caller }: Given): boolean {
  try {
    mayEdit(state, caller);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
