import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../browser/markup.js';
import { Route } from '../../http/api/route-options.js';
import { ServiceUrls } from '../../http/api/service-urls.js';
import { sendPage, webPage } from '../../http/pages/web-page.js';
import type { Feature } from '../../process/nest/features.js';

/** What a browser is shown that comes to the service by its bare address. */
@ApiExcludeController()
@Controller()
class HomeController {
  constructor(@Inject(ServiceUrls) private readonly urls: ServiceUrls) {}

  @Route({ problemPages: true })
  @Get()
  home(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { baseUrl } = this.urls;
    return sendPage(request, reply, baseUrl, homePage(this.urls, Boolean(request.session)));
  }
}

/** What there is to read, each at its address. */
const DOCUMENTS = [
  ['/llms.txt', 'How to deploy, change and go back', 'for people and agents'],
  ['/openapi.json', 'The whole interface', 'OpenAPI'],
  ['/v1/limits', 'Limits', 'sizes, rates and reserved names that apply to you'],
  ['/v1/changelog', 'What has changed', 'with the version that runs here'],
  ['/status', 'How the service is, and has been', 'day by day, with incidents'],
  ['/health', 'How this process is', 'part by part'],
  ['/.well-known/security.txt', 'Whom to tell of a weakness', 'RFC 9116'],
] as const;

const homePage = ({ baseUrl, mcpUrl }: ServiceUrls, isSignedIn: boolean) =>
  webPage(
    'Put a page online',
    html`<p>Stele puts HTML or a folder on a live address in one request, without an account, and never forgets how each site came to be. Paste this into a terminal:</p>
<pre class="paste">curl -X POST ${baseUrl}/v1/deploy -H 'content-type: text/html' --data-binary '&lt;h1&gt;Hello&lt;/h1&gt;'</pre>
<p>The answer has the address of your page, and an edit token, which is the only key to it.</p>
<p>${
      isSignedIn
        ? html`<a href="/sites">Your sites</a>`
        : html`<a href="/sign-in">Sign in</a> to own what you put here, to share it and to give it another name.`
    }</p>
<p>Or add <code>${mcpUrl}</code> to an agent (MCP): it publishes without an account, and asks you before it acts for you.</p>
<h2>To read</h2>
<ul>${DOCUMENTS.map(([path, title, about]) => html`<li><a href="${path}">${title}</a> <span class="soft">${about}</span></li>`)}</ul>`,
  );

export const home: Feature = { routes: [HomeController] };
