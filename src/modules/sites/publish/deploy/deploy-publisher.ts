import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import type { Attempt } from '../../../../accounts/idempotency/idempotency-keys.js';
import { People } from '../../../../accounts/people/people.js';
import { SiteNetworks } from '../../../../accounts/shares/site-networks.js';
import type { StoredUpload } from '../../../../content/uploads/store-upload.js';
import { ServiceUrls } from '../../../../edge/http/api/service-urls.js';
import { siteRevisionHeaders } from '../../../../edge/http/api/site-headers.js';
import { hashSecret, makeSecret } from '../../../../edge/http/auth/secrets.js';
import { ClientAddress, computeNetwork } from '../../../../edge/http/limits/client-address.js';
import { isProbeSite, type SiteEvent } from '../../../../events/site/site.events.js';
import type { Caller, CommandContext } from '../../../../kernel/command-context.js';
import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import { Ids } from '../../../../kernel/ids.js';
import { Refusal, refuse } from '../../../../kernel/refusal.js';
import { type Share, shareOfCaller } from '../../../../kernel/shares/share.js';
import type { Outcome } from '../../../../kernel/transactions.js';
import { AnonymousExpiry } from '../../../../settings/deploy-settings.js';
import { SiteShares } from '../../api/site-shares.js';
import { assertCanEdit } from '../../site/assert-access.rule.js';
import { assertCanCreateSite } from '../../site/assert-can-create-site.js';
import { assertEditableOrTaken, siteToDeploy } from '../../site/edits.js';
import type { Site } from '../../site/site.state.js';
import { type FoundSite, SiteDirectory } from '../../site/site-directory.js';
import { AnonymousContent } from '../shares/anonymous-content.js';
import { DeployBytes } from '../shares/deploy-bytes.js';
import { CreateSite, RedeploySite } from './create-site.js';
import { DeployRights } from './deploy-rights.js';
import { after, deployResult, isUnchanged } from './deploy-schemas.js';
import type { DeployContent } from './publish.decide.js';
import { UploadReceiver } from './upload-receiver.js';

/** Maximum attempts at a merge, which is repeated if another deploy is published meanwhile. */
const MERGE_TRIES = 50;

/** Options from the query, and how the deploy arrived. */
export type DeployOptions = {
  readonly source: 'upload' | 'code' | 'mcp';
  readonly message: string | null;
  readonly publish: boolean;
  readonly merge: boolean;
  /** RFC 3339, counted from the time of the request; null for a site that does not expire. */
  readonly expiresAt: (at: string) => string | null;
  readonly ifRevision: number | null;
};

/** Time and IDs of a deploy. A retry after a crash uses the same ones. */
export type DeployIds = {
  readonly at: string;
  readonly siteId: string;
  readonly deployId: string;
  readonly memberId: string;
  readonly editToken: string;
};

/** Content to publish: the body of a request, or a page that this service made. */
export type DeploySource = FastifyRequest | { readonly page: string };

/** Content that a request sent and that is stored, and the share that it counts towards. */
type ReceivedUpload = StoredUpload & { readonly share: Share };

/**
 * Destination of a deploy: a site that the caller may edit, or a new one, which an earlier attempt may have created.
 */
type Destination =
  | { readonly kind: 'existing'; readonly site: FoundSite }
  | { readonly kind: 'new'; readonly slug: string | null; readonly attempt: Attempt };

/** Publishes the body of a request as a site: makes the content durable, then records the event that publishes it. */
@Injectable()
export class DeployPublisher {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly uploads: UploadReceiver,
    private readonly people: People,
    private readonly ids: Ids,
    private readonly anonymousExpiry: AnonymousExpiry,
    private readonly urls: ServiceUrls,
    private readonly clientAddress: ClientAddress,
    private readonly shares: SiteShares,
    private readonly networks: SiteNetworks,
    private readonly deployBytes: DeployBytes,
    private readonly anonymousContent: AnonymousContent,
    private readonly rights: DeployRights,
  ) {}

  /** Makes the values of a deploy that a retry after a crash must reuse. */
  makeIds({ at }: CommandContext): DeployIds {
    return {
      at,
      siteId: this.ids.make('site'),
      deployId: this.ids.make('dep'),
      memberId: this.ids.make('mem'),
      editToken: makeSecret('edit'),
    };
  }

  /** Deploys to a new site, or to the site that `slug` names if the caller may edit it; null generates a slug. */
  async deploy(
    source: DeploySource,
    context: CommandContext,
    slug: string | null,
    options: DeployOptions,
    ids: DeployIds,
    attempt: Attempt,
  ) {
    const to = await this.findDestination(context, slug, options, ids, attempt);
    const upload = await this.#receive(source, context, to.kind === 'existing' ? to.site : null, options);
    const response =
      to.kind === 'existing'
        ? await this.#redeployNamed(ids, context, to.site, upload, options, slug)
        : await this.#create(ids, context, to, upload, options, this.#networkOf(source));
    return { ...response, fingerprint: upload.uploaded.digest };
  }

  /** Deploys to the site that `slug` names and the caller may edit. */
  async redeploy(
    request: FastifyRequest,
    context: CommandContext,
    slug: string,
    options: DeployOptions,
    ids: DeployIds,
  ) {
    const site = await this.#findEditable(slug, context);
    const upload = await this.#receive(request, context, site, options);
    const response = await this.#redeploy(ids, context, site, upload, options);
    return { ...response, fingerprint: upload.uploaded.digest };
  }

  /** Reads the body of a deploy that was already made, and returns the digest of its files. */
  async readFingerprint(source: DeploySource, context: CommandContext, options: DeployOptions, slug?: string) {
    const site = slug === undefined ? null : await this.#findEditable(slug, context);
    return (await this.#receive(source, context, site, options)).uploaded.digest;
  }

  /** Finds the site to deploy to, and refuses whatever can be refused before the body is read. */
  async findDestination(
    context: CommandContext,
    slug: string | null,
    options: DeployOptions,
    { siteId }: DeployIds,
    attempt: Attempt,
  ): Promise<Destination> {
    const site = await siteToDeploy(this.directory, context, { slug, siteId });
    if (site) return { kind: 'existing', site };
    assertCanCreateSite(context.caller);
    if (context.caller.userId !== null && options.expiresAt(context.at) !== null)
      refuse(
        'expires_needs_anonymous',
        'A site deployed by a signed-in user does not expire. Sign out, or leave out `expires`.',
        [{ path: 'expires', message: 'is only allowed for anonymous deploys' }],
      );
    if (!options.publish)
      refuseInvalid({ path: 'publish', message: 'must be true for a new site, whose first deploy always goes live' });
    return { kind: 'new', slug, attempt };
  }

  /** Checks the right before the body is read, so that nobody uploads a gigabyte in vain. The rule decides again. */
  async #findEditable(slug: string, context: CommandContext): Promise<FoundSite> {
    const site = await this.directory.get(slug, context.at);
    assertCanEdit(site.state, context);
    return site;
  }

  async #receive(
    source: DeploySource,
    { caller }: CommandContext,
    site: FoundSite | null,
    { merge }: DeployOptions,
  ): Promise<ReceivedUpload> {
    const share = await this.#shareOf(source, caller, site);
    const isUnclaimed = site === null ? caller.userId === null : isUnclaimedSite(site);
    if (isUnclaimed) await this.anonymousContent.assertRoom(share);
    const meter = this.deployBytes.meterOf(share);
    const stored = await ('page' in source
      ? this.uploads.receivePage(source.page, caller, meter)
      : merge
        ? this.uploads.receiveChanges(source, caller, site, meter)
        : this.uploads.receive(source, caller, site, meter));
    return { ...stored, share };
  }

  /** Returns the share that a deploy counts towards: that of the site, or the caller’s own if the site is new. */
  async #shareOf(source: DeploySource, { userId }: Caller, site: FoundSite | null): Promise<Share> {
    const own = shareOfCaller(userId, this.#networkOf(source));
    if (site === null) return own;
    const share = await this.shares.shareOf(site.siteId);
    return share.kind === 'unknown' ? own : share;
  }

  /** Null for a page that this service made, which only signed-in callers can request. */
  #networkOf(source: DeploySource): string | null {
    return 'page' in source ? null : computeNetwork(this.clientAddress.addressOf(source.raw));
  }

  async #create(
    ids: DeployIds,
    context: CommandContext,
    { slug, attempt }: Extract<Destination, { kind: 'new' }>,
    upload: ReceivedUpload,
    options: DeployOptions,
    network: string | null,
  ) {
    const { userId } = context.caller;
    // The account may be erased during the upload, and then nobody could access the new site.
    if (userId !== null && !(await this.people.find(userId)))
      refuse('unauthenticated', 'This account no longer exists.');
    await this.rights.assertDelegationLasts(context.caller);
    const wanted = options.expiresAt(ids.at);
    const expiresAt = wanted ?? (userId === null ? after(ids.at, this.anonymousExpiry.seconds) : null);
    if (userId === null && network !== null) await this.networks.keep(ids.siteId, network);
    const command = new CreateSite({
      context: { ...context, at: ids.at },
      siteId: ids.siteId,
      slug,
      editTokenHash: userId === null ? hashSecret(ids.editToken) : null,
      owner: userId === null ? null : { memberId: ids.memberId, userId },
      content: contentOf(ids, upload, options),
      expiry: expiresAt === null ? null : { expiresAt, renews: wanted === null },
      attempt,
    });
    const deploy = userId === null ? anonymousDeploy(ids.siteId, ids, upload) : null;
    const outcome = await this.anonymousContent.publish(deploy, () => this.commands.execute(command));
    return this.#answer(outcome, ids, upload, {
      ...(userId === null && { editToken: ids.editToken }),
      ...(expiresAt && { expiresAt }),
    });
  }

  /** A caller who lost access to the site during the upload gets the refusal that strangers get: the slug is taken. */
  async #redeployNamed(
    ids: DeployIds,
    context: CommandContext,
    site: FoundSite,
    upload: ReceivedUpload,
    options: DeployOptions,
    slug: string | null,
  ) {
    try {
      return await this.#redeploy(ids, context, site, upload, options);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { state } = await this.directory.stateOf(site.siteId);
      assertEditableOrTaken(state, context, slug);
      throw error;
    }
  }

  async #redeploy(
    ids: DeployIds,
    context: CommandContext,
    { siteId, state: found }: FoundSite,
    upload: ReceivedUpload,
    options: DeployOptions,
  ) {
    await this.rights.assertLasts(siteId, found, context);
    const { merge, ifRevision, publish } = options;
    const asOf = { ...context, at: ids.at };
    const renewedExpiry = after(ids.at, this.anonymousExpiry.seconds);
    for (let state = found, attempt = 1; ; attempt++) {
      const over = merge && state.status === 'live' ? (state.live?.deployId ?? null) : null;
      const content = contentOf(ids, upload, options);
      const command = new RedeploySite({ context: asOf, siteId, content, over, ifRevision, publish, renewedExpiry });
      const deploy = isUnclaimedSite({ siteId, state }) ? anonymousDeploy(siteId, ids, upload) : null;
      try {
        const outcome = await this.anonymousContent.publish(deploy, () => this.commands.execute(command));
        return this.#answer(outcome, ids, upload, {});
      } catch (error) {
        const lostBase = merge && error instanceof Refusal && error.code === 'conflict';
        if (!lostBase || attempt === MERGE_TRIES) throw error;
        ({ state } = await this.directory.stateOf(siteId));
        upload = { ...(await this.uploads.layOverAgain(upload, context.caller, state)), share: upload.share };
      }
    }
  }

  #answer(
    outcome: Outcome<Site, SiteEvent>,
    { deployId, at }: DeployIds,
    content: StoredUpload,
    shownOnce: { editToken?: string; expiresAt?: string },
  ) {
    const { state } = outcome;
    if (state.status !== 'live') return refuse('site_expired');
    const body = deployResult(this.urls, {
      slug: state.slug,
      hasPath: state.visibility === 'public' && !state.live?.program,
      deployId,
      createdAt: at,
      unchanged: isUnchanged(state, deployId),
      content,
      ...shownOnce,
    });
    return { body, headers: siteRevisionHeaders(outcome) };
  }
}

/** The service’s own probe sites do not count. */
const isUnclaimedSite = ({ siteId, state }: Pick<FoundSite, 'siteId' | 'state'>) =>
  state.status === 'live' && state.editTokenHash !== null && !isProbeSite(siteId);

const anonymousDeploy = (siteId: string, { deployId }: DeployIds, { share, manifest, bytes }: ReceivedUpload) => ({
  siteId,
  deployId,
  share,
  manifest,
  bytes,
});

const contentOf = (
  { deployId }: DeployIds,
  { manifest, files, bytes }: StoredUpload,
  { source, message }: DeployOptions,
): DeployContent => ({
  deployId,
  manifest,
  files,
  bytes,
  source,
  message,
  jobId: null,
  commit: null,
  provenance: null,
  trusted: null,
  program: null,
});
