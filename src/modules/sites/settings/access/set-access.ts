import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { PASSWORD_BYTES, SitePasswords } from '../../../../accounts/site-passwords.js';
import { ApiAccess, ApiETag } from '../../../../edge/http/api/description/api-traits.js';
import { ifHaving } from '../../../../edge/http/api/schemas/having.js';
import { siteRevisionHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context, IfMatch } from '../../../../edge/http/auth/context.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { leftToCleaning } from '../../../../kernel/faults/ignored-fault.js';
import { Ids } from '../../../../kernel/ids.js';
import { plural } from '../../../../kernel/output/quantities.js';
import type { Outcome } from '../../../../kernel/transactions.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { Site as SiteAnswer } from '../../read/show-site/show-site.js';
import { assertIsOwner } from '../../site/assert-access.rule.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { SiteResponder } from '../../site/site-responder.js';
import type { Site } from '../../site/state/site.state.js';
import { decideSetAccess } from './set-access.decide.js';

/** Minimum length of a new password. Shorter passwords that were set before this rule remain valid. */
const PASSWORD_CHARACTERS = 8;

const Password = z
  .string()
  .refine((text) => [...text].length >= PASSWORD_CHARACTERS, {
    error: `must have at least ${plural(PASSWORD_CHARACTERS, 'character')}`,
  })
  .refine((text) => Buffer.byteLength(text) <= PASSWORD_BYTES, {
    error: `must have at most ${plural(PASSWORD_BYTES, 'byte')}`,
  })
  .meta({
    minLength: PASSWORD_CHARACTERS,
    description: `Password that visitors must enter: at least ${plural(PASSWORD_CHARACTERS, 'character')}, and at most ${plural(PASSWORD_BYTES, 'byte')} of UTF-8. Only its Argon2id hash is stored. Sending a password replaces the previous one, and visitors who have entered the previous one must enter the new one.`,
  });

const AccessBody = z
  .strictObject({
    visibility: z.enum(['public', 'password', 'members']).meta({
      description:
        'Who can view the site: `public` for everyone, `password` for anyone who knows its password, `members` for users with a role on it.',
    }),
    password: Password.optional(),
  })
  .refine(({ visibility, password }) => visibility === 'password' || password === undefined, {
    path: ['password'],
    error: 'is only allowed when `visibility` is "password"',
  })
  .meta(ifHaving('password', { properties: { visibility: { const: 'password' } } }));

export class SetSiteAccess extends SiteCommand(decideSetAccess) {}

@ApiTags('Sites')
@Controller('v1/sites/:slug/access')
class SetAccessController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly answers: SiteResponder,
    private readonly passwords: SitePasswords,
    private readonly ids: Ids,
  ) {}

  @ApiOperation({
    summary: 'Set who can view a site',
    description:
      'Takes effect with the next request, at all of the site’s URLs, including those of earlier deploys. A site that is not public is not served under /s/{slug}/, and for callers without a role on it the API returns 404 `site_not_found`.',
  })
  @ApiResponse({ status: 200, standardSchema: SiteAnswer, description: 'The site. Its ETag is the revision.' })
  @ApiETag()
  @ApiAccess('session')
  @Post()
  @HttpCode(200)
  async setAccess(
    @Param('slug') slug: string,
    @Body({ schema: AccessBody }) { visibility, password }: z.output<typeof AccessBody>,
    @Context() context: CommandContext,
    @IfMatch(decideSetAccess) ifRevision: number | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof SiteAnswer>> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    // Check the right before hashing the password, which takes time. The rule checks the right again.
    const { passwordId: former } = assertIsOwner(state, context);
    const passwordId = password === undefined ? null : await this.#keep(siteId, password);
    const command = new SetSiteAccess({ context, siteId, visibility, passwordId, ifRevision });
    const outcome = await this.commands.execute(command).catch(async (error) => {
      // The change failed, so the site does not use the new password. If deleting the password fails, the next change
      // deletes it.
      if (passwordId !== null) await this.passwords.forget(passwordId).catch(leftToCleaning);
      throw error;
    });
    await this.#forget(siteId, former, outcome);
    void reply.headers(siteRevisionHeaders(outcome));
    return this.answers.of(siteId, outcome);
  }

  async #keep(siteId: string, password: string): Promise<string> {
    const passwordId = this.ids.make('pwd');
    await this.passwords.keep(passwordId, siteId, password);
    return passwordId;
  }

  async #forget(siteId: string, former: string | null, { state, events }: Outcome<Site, SiteEvent>) {
    if (state.status !== 'live' || events.length === 0) return;
    const isOver = former !== null && former !== state.passwordId;
    // The change is recorded, and the former password no longer admits visitors. If deleting it fails, the request must
    // still succeed.
    if (isOver) await this.passwords.forget(former).catch(leftToCleaning);
    await this.passwords.forgetOthers(siteId, state.passwordId).catch(leftToCleaning);
  }
}

const VIEWERS = { public: 'everyone', password: 'anyone who knows its password', members: 'its members only' } as const;

const tool = mcpTool({
  name: 'set_access',
  title: 'Set who can view a site',
  description:
    'Sets who can view the site, at all its URLs, starting with the next request: `public` for everyone, `password` for anyone who knows the password, `members` for people with a role. A new password permanently replaces the previous one. Owners only. Pass the `revision` from get_site as `ifRevision`.',
  scope: 'manage',
  needs: 'person',
  effect: 'replaces',
  isIdempotent: false,
  route: { method: 'POST', path: '/v1/sites/:slug/access', body: AccessBody, takes: ['ifRevision'] },
  answer: SiteAnswer,
  say: ({ slug, visibility }) => `${slug} is now visible to ${VIEWERS[visibility]}.`,
});

export const setAccess: Feature = {
  routes: [SetAccessController],
  tools: [tool],
  providers: [SiteResponder],
};
