import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { BlobStore } from '../../../blobs/blob-store.js';
import { decodeManifest, type Manifest } from '../../../blobs/manifest.js';
import type { SiteEvent } from '../../../events/site.events.js';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import { siteRevisionHeaders } from '../../../http/api/site-headers.js';
import { hashSecret, makeSecret } from '../../../http/auth/secrets.js';
import type { IdempotentWrite } from '../../../http/limits/idempotency.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { Ids } from '../../../kernel/ids.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { Outcome } from '../../../kernel/transactions.js';
import { LimitsOfDeploys } from '../../../settings.js';
import { People } from '../../../tables/people/people.js';
import { deployBody } from '../../../uploads/bodies/deploy-body.js';
import { SpoolFolder } from '../../../uploads/spool/spool-folder.js';
import { type StoredUpload, storeUpload, storeUploadAgain } from '../../../uploads/store-upload.js';
import { edits } from '../site/edits.js';
import { mayEdit } from '../site/may-edit.decide.js';
import { OwnedContent } from '../site/owned-content.js';
import type { Site } from '../site/site.state.js';
import { SiteDirectory } from '../site/site-directory.js';
import { CreateSite } from './create-site.js';
import { deployResult } from './deploy-result.js';
import type { DeployContent } from './publish.decide.js';
import { RedeploySite } from './redeploy-site.js';

/** A merge is made again when somebody else published while it was made; each time somebody got ahead. */
const MERGE_TRIES = 50;

/** What the query asks for. */
export type DeployOptions = {
  readonly message: string | null;
  readonly publish: boolean;
  readonly merge: boolean;
  /** RFC 3339, counted from the time the request came in; null for a site that stays. */
  readonly expiresAt: (at: string) => string | null;
  readonly ifRevision: number | null;
};

/** What a deploy is made with; the same when it is made again after a crash. */
type DeployIds = {
  readonly at: string;
  readonly siteId: string;
  readonly deployId: string;
  readonly memberId: string;
  readonly editToken: string;
};

type FoundSite = NonNullable<Awaited<ReturnType<SiteDirectory['find']>>>;

/** From a request's body to a live site: content first, durable; then the event that publishes it. */
@Injectable()
export class Publishing {
  constructor(
    @Inject(BlobStore) private readonly blobs: BlobStore,
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(OwnedContent) private readonly owned: OwnedContent,
    @Inject(People) private readonly people: People,
    @Inject(Ids) private readonly ids: Ids,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
    @Inject(LimitsOfDeploys) private readonly limits: LimitsOfDeploys,
    @Inject(SpoolFolder) private readonly spoolFolder: SpoolFolder,
  ) {}

  /** `slug` names a new site, or a site that the caller may edit; null has a name made. */
  post(
    request: FastifyRequest,
    context: CommandContext,
    slug: string | null,
    options: DeployOptions,
  ): IdempotentWrite<DeployIds, StoredUpload> {
    let found: FoundSite | null = null;
    const fresh = this.#makeIds(context);
    return {
      makeIds: () => fresh,
      check: async ({ siteId }) => {
        found = slug === null ? null : await this.directory.find(slug, context.at);
        // Our own site of a try whose answer was lost is not found as another’s.
        if (found?.siteId === siteId) found = null;
        if (found && !edits(found.state, context)) refuse('slug_taken', `Another site is called “${slug}”.`);
        if (!found && context.caller.userId !== null && options.expiresAt(context.at) !== null)
          refuse('expires_needs_anonymous', 'A site of somebody signed in stays until they take it away.', [
            { path: 'expires', message: 'is for deploys without a session' },
          ]);
        if (!found && !options.publish)
          refuse('invalid_request', 'A new site has nothing to show but its first deploy.', [
            { path: 'publish', message: 'is for a redeploy' },
          ]);
      },
      prepare: () => this.#prepare(request, context, found, options),
      execute: (ids, taken) =>
        found
          ? this.#redeploy(ids, context, found, taken, options)
          : this.#create(ids, context, slug, taken, options, ids !== fresh),
    };
  }

  patch(
    request: FastifyRequest,
    context: CommandContext,
    slug: string,
    options: DeployOptions,
  ): IdempotentWrite<DeployIds, StoredUpload> {
    let found: FoundSite | null = null;
    const find = async () => {
      found ??= await this.directory.get(slug, context.at);
      // Before the body: who may not edit is told so before they upload a gigabyte. The rule decides again.
      mayEdit(found.state, context);
      return found;
    };
    return {
      makeIds: () => this.#makeIds(context),
      check: async () => void (await find()),
      prepare: async () => this.#prepare(request, context, await find(), options),
      execute: async (ids, taken) => this.#redeploy(ids, context, await find(), taken, options),
    };
  }

  #makeIds = ({ at }: CommandContext): DeployIds => ({
    at,
    siteId: this.ids.make('site'),
    deployId: this.ids.make('dep'),
    memberId: this.ids.make('mem'),
    editToken: makeSecret('edit'),
  });

  async #prepare(
    { raw }: FastifyRequest,
    { caller }: CommandContext,
    found: FoundSite | null,
    { merge }: DeployOptions,
  ) {
    const limits = this.limits.of(caller.userId);
    const taken = await storeUpload(this.blobs, deployBody(raw, limits, this.spoolFolder.path), limits, {
      base: merge && found ? await this.#liveManifest(found.state) : null,
      owned: async (digests) => (found ? this.owned.of(found.siteId, digests) : new Map()),
    });
    return { fingerprint: () => taken.uploaded.digest, prepared: taken };
  }

  async #liveManifest(state: Site): Promise<Manifest | null> {
    const live = state.status === 'live' ? state.live : null;
    return live && decodeManifest(live.manifest, await this.blobs.read(live.manifest));
  }

  async #create(
    ids: DeployIds,
    context: CommandContext,
    slug: string | null,
    stored: StoredUpload,
    options: DeployOptions,
    again: boolean,
  ) {
    const { userId } = context.caller;
    // An upload may outlast its person: nobody could ever reach what it made.
    if (userId !== null && !(await this.people.find(userId))) refuse('unauthenticated', 'This account is gone.');
    const expiresAt = options.expiresAt(ids.at);
    const command = new CreateSite(
      { ...context, at: ids.at },
      ids.siteId,
      slug,
      userId === null ? hashSecret(ids.editToken) : null,
      userId === null ? null : { memberId: ids.memberId, userId },
      contentOf(ids, stored, options),
      expiresAt,
      again,
    );
    return this.#answer(await this.commands.execute(command), ids, stored, {
      ...(userId === null && { editToken: ids.editToken }),
      ...(expiresAt && { expiresAt }),
    });
  }

  async #redeploy(
    ids: DeployIds,
    context: CommandContext,
    found: FoundSite,
    stored: StoredUpload,
    options: DeployOptions,
  ) {
    const by = { ...context, at: ids.at };
    for (let { state } = found, attempt = 1; ; attempt++) {
      const over = options.merge && state.status === 'live' ? (state.live?.deployId ?? null) : null;
      const command = new RedeploySite(by, found.siteId, contentOf(ids, stored, options), options, over);
      try {
        return this.#answer(await this.commands.execute(command), ids, stored, {});
      } catch (error) {
        const lostBase = options.merge && error instanceof Refusal && error.code === 'conflict';
        if (!lostBase || attempt === MERGE_TRIES) throw error;
        // Somebody published meanwhile: what was brought goes over what is live now.
        ({ state } = await this.directory.stateOf(found.siteId));
        const base = await this.#liveManifest(state);
        if (base) stored = await storeUploadAgain(this.blobs, stored, this.limits.of(context.caller.userId), base);
      }
    }
  }

  #answer(
    outcome: Outcome<Site, SiteEvent>,
    { deployId, at }: DeployIds,
    stored: StoredUpload,
    once: { editToken?: string; expiresAt?: string },
  ) {
    const { state } = outcome;
    if (state.status !== 'live') return refuse('site_expired');
    const body = deployResult(this.urls, {
      slug: state.slug,
      deployId,
      createdAt: at,
      unchanged: isUnchanged(state, deployId),
      content: stored,
      ...once,
    });
    return { body, headers: siteRevisionHeaders(outcome) };
  }
}

const contentOf = (
  { deployId }: DeployIds,
  { manifest, files, bytes }: StoredUpload,
  { message }: DeployOptions,
): DeployContent => ({
  deployId,
  manifest,
  files,
  bytes,
  source: 'upload',
  message,
  jobId: null,
  commit: null,
});

/** Whether what was live until this deploy had the same content. */
function isUnchanged({ deploys }: Extract<Site, { status: 'live' }>, deployId: string): boolean {
  const deploy = deploys.find((each) => each.deployId === deployId);
  return deploys.some((each) => each.deployId === deploy?.replaced && each.manifest === deploy.manifest);
}
