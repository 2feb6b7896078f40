import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { type CapabilityName, capabilityName } from '../../../../events/site/settings.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { SiteReader } from '../../site/site-reader.js';
import { decideCapability } from './capability.decide.js';
import { egressConfig } from './egress-hosts.js';

const descriptions: Readonly<Record<CapabilityName, string>> = {
  spa: 'Serves /index.html for paths that do not exist, so that a single-page app can route them. For a path with a dot in its last segment, this applies only if a browser opens a page.',
  listing: 'Lists the contents of a folder that has no index.html.',
  connector: 'Lets the site send work to an agent, which polls this service for it.',
  analytics: 'Counts visits by hour, day and page, without cookies. GET …/analytics returns the counts.',
  egress:
    'Lets the site’s server connect to the hosts listed in `config.hosts`, on port 443 and at public IP addresses. Only owners can change this.',
};

const config = z.strictObject({}).optional().meta({ description: 'Settings of the capability. Unchanged if omitted.' });
const enabled = z.boolean();

/** Each capability has its own schema, so that settings of other capabilities are refused. */
const CapabilityBody = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('spa'), enabled, config }),
  z.strictObject({ name: z.literal('listing'), enabled, config }),
  z.strictObject({ name: z.literal('connector'), enabled, config }),
  z.strictObject({ name: z.literal('analytics'), enabled, config }),
  z.strictObject({
    name: z.literal('egress'),
    enabled,
    config: egressConfig.optional().meta({ description: 'Settings of the capability. Unchanged if omitted.' }),
  }),
]);

const Capability = z
  .object({
    name: capabilityName,
    enabled: z.boolean(),
    description: z.string(),
    config: z.record(z.string(), z.json()),
  })
  .meta({ id: 'Capability' });
const Capabilities = z.object({ items: z.array(Capability) }).meta({ id: 'Capabilities' });

export class SetSiteCapability extends SiteCommand(decideCapability) {}

@ApiTags('Capabilities')
@Controller('v1/sites/:slug/capabilities')
class CapabilitiesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly reader: SiteReader,
  ) {}

  @ApiOperation({ summary: 'List a site’s capabilities' })
  @ApiResponse({
    status: 200,
    standardSchema: Capabilities,
    description: 'Every capability, and whether it is enabled.',
  })
  @ReadYourWrites()
  @Get()
  async listCapabilities(
    @Param('slug') slug: string,
    @Context() { caller }: CommandContext,
  ): Promise<z.output<typeof Capabilities>> {
    const { capabilities } = await this.reader.getFor(slug, caller);
    const set: KnownCapabilities = JSON.parse(capabilities);
    return { items: capabilityName.options.map((name) => capabilityAnswer(name, set)) };
  }

  @ApiOperation({
    summary: 'Enable or disable a site’s capability',
    description:
      'Takes effect with the next request; `egress` takes effect when the server next starts. Requires permission to deploy the site; only its owners can change `egress`.',
  })
  @ApiResponse({ status: 200, standardSchema: Capability, description: 'The capability with its new settings.' })
  @Post()
  @HttpCode(200)
  async setCapability(
    @Param('slug') slug: string,
    @Body({ schema: CapabilityBody }) { name, enabled, config }: z.output<typeof CapabilityBody>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Capability>> {
    const { siteId } = await this.directory.get(slug, context.at);
    const outcome = await this.commands.execute(
      new SetSiteCapability({ context, siteId, name, enabled, config: config ?? null }),
    );
    void reply.headers(siteRelatedHeaders(outcome));
    const { state } = outcome;
    return capabilityAnswer(
      name,
      state.status === 'live' ? (state.capabilities as KnownCapabilities) : refuse('site_not_found'),
    );
  }
}

type CapabilityAnswer = z.output<typeof Capability>;
type KnownCapabilities = Readonly<Partial<Record<CapabilityName, Pick<CapabilityAnswer, 'enabled' | 'config'>>>>;

const capabilityAnswer = (name: CapabilityName, set: KnownCapabilities): CapabilityAnswer => {
  const { enabled, config } = set[name] ?? { enabled: false, config: {} };
  return { name, enabled, description: descriptions[name], config };
};

const list = mcpTool({
  name: 'list_capabilities',
  title: 'List a site’s capabilities',
  description: 'Lists all capabilities: what each one does, whether it is enabled, and its settings.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  route: { method: 'GET', path: '/v1/sites/:slug/capabilities', takes: ['editToken'] },
  answer: Capabilities,
  say: ({ items }) => {
    const enabled = items.filter(({ enabled }) => enabled).map(({ name }) => name);
    return enabled.length === 0 ? 'No capability is enabled.' : `Enabled: ${enabled.join(', ')}.`;
  },
});

/** Arguments of the MCP tool. They have a flat shape; the route validates them as `CapabilityBody`. */
const CapabilityArguments = z.object({
  name: capabilityName.meta({ description: 'Name of the capability. list_capabilities explains all of them.' }),
  enabled,
  config: z
    .object({ hosts: z.array(z.string()).optional() })
    .optional()
    .meta({
      description:
        'Settings of the capability. Only `egress` has any: `hosts`, the hosts that the server can connect to.',
    }),
});

const set = mcpTool({
  name: 'set_capability',
  title: 'Enable or disable a site’s capability',
  description:
    'Takes effect with the next request; `egress` when the server next starts. Owners and editors, or with `editToken`; `egress` requires an owner.',
  scope: 'publish',
  needs: 'token',
  effect: 'replaces',
  isIdempotent: true,
  route: {
    method: 'POST',
    path: '/v1/sites/:slug/capabilities',
    body: CapabilityArguments,
    takes: ['editToken'],
  },
  answer: Capability,
  say: ({ name, enabled }) => `${name} is ${enabled ? 'enabled' : 'disabled'}.`,
});

export const capabilities: Feature = { routes: [CapabilitiesController], tools: [list, set] };
