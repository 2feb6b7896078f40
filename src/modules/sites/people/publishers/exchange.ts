import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AccessTokenStore } from '../../../../accounts/tokens/access-tokens.js';
import { type Publisher, PublisherStore } from '../../../../accounts/tokens/publishers.js';
import { ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../../edge/http/api/service-urls.js';
import { hashSecret, makeSecret } from '../../../../edge/http/auth/secrets.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import type { Caller } from '../../../../kernel/command-context.js';
import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import { Ids } from '../../../../kernel/ids.js';
import { type IssuedClaims, TokenIssuers } from '../../../../kernel/ports/outside/token-issuers.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { decideUsePublisher } from './publisher.decide.js';
import { findProject, listProjects, selectBoundClaims } from './publisher-claims.js';

/** Token lifetime in seconds: long enough for a deploy, but too short for a leaked token to be useful. */
const SECONDS = 900;

const Exchange = z.strictObject({
  idToken: z.string().min(1).max(16_384).meta({
    description: 'The job’s ID token: a JWT from its issuer, with this service’s base URL as its audience.',
  }),
  slug: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Slug of the site. Required if several sites trust the job.' }),
});

const Exchanged = z
  .object({
    token: z.string().meta({ description: 'Access token, sent as `Authorization: Bearer …`.' }),
    slug: z.string(),
    role: z.literal('editor'),
    expiresAt: z.string(),
  })
  .meta({ id: 'ExchangedToken' });

export class UsePublisherOfSite extends SiteCommand(decideUsePublisher) {}

@ApiTags('Tokens')
@Controller('v1/auth/exchange')
class PublisherExchangeController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly publishers: PublisherStore,
    private readonly tokens: AccessTokenStore,
    private readonly issuers: TokenIssuers,
    private readonly ids: Ids,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Exchange a CI job’s ID token for an access token',
    description:
      'The access token can deploy the site that trusts the job, and it expires after fifteen minutes. The same ID token can be exchanged again while it is valid; each exchange is recorded.',
  })
  @ApiResponse({ status: 200, standardSchema: Exchanged, description: 'An access token for the site.' })
  @ApiProblems('invalid_token', 'forbidden')
  @Route({ rate: rates.tokenTries })
  @Post()
  @HttpCode(200)
  async exchangeToken(
    @Body({ schema: Exchange }) { idToken, slug }: z.output<typeof Exchange>,
  ): Promise<z.output<typeof Exchanged>> {
    const at = new Date();
    const issuer = this.issuers.issuerIn(idToken);
    if (issuer === null) return refuse('invalid_token', '`idToken` is not a JWT from an OpenID Connect issuer.');
    // Without this check, any caller could make the service send requests to an issuer of their choice.
    if (!(await this.publishers.isTrusted(issuer)))
      return refuse('invalid_token', 'No site trusts the issuer of this ID token.');
    const claims = await this.issuers.verify(idToken, { issuer, audience: this.urls.baseUrl });
    const trusting = await this.#trusting(issuer, claims, slug, at.toISOString());
    const publisher = await this.#used(issuer, claims, trusting);
    const tokenId = this.ids.make('tok');
    const token = makeSecret('pat');
    const expiresAt = new Date(at.getTime() + SECONDS * 1_000).toISOString();
    const { publisherId, siteId } = publisher;
    // The token is stored before the event is recorded. If the process crashes in between, nobody knows the token.
    await this.tokens.keep({
      tokenId,
      tokenHash: hashSecret(token),
      userId: publisher.userId,
      name: findProject(publisher.claims) ?? '',
      role: 'editor',
      site: { siteId, memberId: publisher.memberId },
      publisherId,
      createdAt: at.toISOString(),
      expiresAt,
    });
    const outcome = await this.commands.execute(
      new UsePublisherOfSite({
        context: { at: at.toISOString(), caller: callerBy(publisher, tokenId) },
        siteId,
        publisherId,
        tokenId,
        proof: hashSecret(idToken),
        expiresAt,
      }),
    );
    if (outcome.state.status !== 'live') return refuse('site_not_found');
    return { token, slug: outcome.state.slug, role: 'editor', expiresAt };
  }

  /** Returns the publishers of a single site that match the job's claims, oldest first. */
  async #trusting(issuer: string, claims: IssuedClaims, slug: string | undefined, at: string) {
    const matching = await this.publishers.matching(issuer, listProjects(claims), claims);
    if (slug !== undefined) {
      const found = await this.directory.find(slug, at);
      return matching.filter(({ siteId }) => siteId === found?.siteId);
    }
    const sites = new Set(matching.map(({ siteId }) => siteId));
    if (sites.size > 1)
      return refuseInvalid({ path: 'slug', message: 'is required, because several sites trust this job' });
    return matching;
  }

  /**
   * Returns the first of the matching publishers that is already bound to the IDs in the job's claims, or that can be
   * bound to them now.
   */
  async #used(issuer: string, claims: IssuedClaims, matching: readonly Publisher[]): Promise<Publisher> {
    const bound = selectBoundClaims(issuer, claims);
    if (bound === null)
      return refuse('invalid_token', 'The ID token does not contain the numeric IDs of its repository or project.');
    for (const { publisherId, siteId } of matching) {
      const { state } = await this.directory.stateOf(siteId);
      // Skip a publisher that the site's events do not contain. The process stored it, but exited before it recorded
      // the event.
      if (state.status !== 'live' || !state.publishers.some((known) => known.publisherId === publisherId)) continue;
      const used = await this.publishers.use(publisherId, bound);
      if (used) return used;
    }
    return refuse('invalid_token', `No site trusts jobs with these claims: ${said(claims)}.`);
  }
}

/**
 * Returns the CI job as a caller, with the rights of the user who registered the publisher, but at most those of an
 * editor.
 */
const callerBy = ({ userId, memberId, publisherId }: Publisher, tokenId: string): Caller => ({
  editTokenHash: null,
  userId,
  delegation: { kind: 'token', id: tokenId, publisherId, role: 'editor', memberIds: [memberId] },
});

/** Formats the claims that an owner is most likely to have misconfigured, for an error message. */
const said = (claims: IssuedClaims): string =>
  ['repository', 'project_path', 'ref', 'environment', 'sub']
    .flatMap((claim) =>
      claims[claim] === undefined ? [] : [`${claim} ${JSON.stringify(claims[claim].slice(0, 200))}`],
    )
    .join(', ');

export const exchangePublisher: Feature = { routes: [PublisherExchangeController] };
