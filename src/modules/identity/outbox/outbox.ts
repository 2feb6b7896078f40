import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { html } from '../../../edge/browser/markup.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { ClientAddress } from '../../../edge/http/limits/client-address.js';
import { sendPage, webPage } from '../../../edge/http/pages/web-page.js';
import { Outbox, type OutboxEntry } from '../../../kernel/ports/outside/mail.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';

const Entries = z
  .array(
    z.object({ at: z.string(), to: z.string(), subject: z.string(), text: z.string(), links: z.array(z.string()) }),
  )
  .meta({ id: 'OutboxEntries' });

/**
 * Shows sent mail, but only while the service runs on a developer's machine (docs/interface/operator.md, "Endpoints").
 */
@ApiTags('Development')
@Controller('dev')
class OutboxController {
  constructor(
    private readonly outbox: Outbox,
    private readonly clientAddress: ClientAddress,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({ summary: 'List unsent emails, newest first (local development only)' })
  @ApiResponse({ status: 200, standardSchema: Entries, description: 'Up to 100 emails.' })
  @Route({ hidden: true })
  @Get('outbox.json')
  outboxJson(@Req() request: FastifyRequest) {
    return this.#entries(request);
  }

  @ApiExcludeEndpoint()
  @Route({ hidden: true, page: true })
  @Get('outbox')
  async outboxPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const entries = await this.#entries(request);
    return sendPage(request, reply, this.urls.baseUrl, outboxPage(entries));
  }

  async #entries(request: FastifyRequest): Promise<readonly OutboxEntry[]> {
    const entries = this.clientAddress.isInternal(request.raw) ? await this.outbox.list() : null;
    return (
      entries ??
      refuse('not_found', 'The outbox is only available in local development, to requests from the same machine.')
    );
  }
}

const outboxPage = (entries: readonly OutboxEntry[]) =>
  webPage(
    'Outbox',
    html`<p>SMTP_URL is not set, so these emails were not sent.</p>
${entries.map(
  ({ at, to, subject, text, links }) => html`<article>
<h2>${subject}</h2>
<p>${to} · <time datetime="${at}">${at}</time></p>
<ul>${links.map((link) => html`<li><a href="${link}">${link}</a></li>`)}</ul>
<pre>${text}</pre>
</article>`,
)}`,
  );

export const outbox: Feature = { routes: [OutboxController] };
