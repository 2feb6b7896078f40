import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../edge/browser/markup.js';
import { Route } from '../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../edge/http/api/service-urls.js';
import { sendPage, webPage } from '../../edge/http/pages/web-page.js';
import type { Feature } from '../../nest/features.js';

@ApiExcludeController()
@Controller()
class HomeController {
  constructor(private readonly urls: ServiceUrls) {}

  @Route({ problemPages: true })
  @Get()
  home(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { baseUrl } = this.urls;
    return sendPage(request, reply, baseUrl, homePage(this.urls, Boolean(request.session)));
  }
}

const DOCUMENTS = [
  ['/llms.txt', 'How to deploy, update and roll back', 'for people and agents'],
  ['/openapi.json', 'API reference', 'OpenAPI'],
  ['/v1/limits', 'Limits', 'sizes, rates and reserved names that apply to you'],
  ['/v1/changelog', 'Changelog', 'what’s new, up to the version running here'],
  ['/status', 'Service status', 'daily history and incidents'],
  ['/health', 'Health of this process', 'the results of its checks'],
  ['/.well-known/security.txt', 'Report a security issue', 'RFC 9116'],
] as const;

const homePage = ({ baseUrl, mcpUrl }: ServiceUrls, isSignedIn: boolean) =>
  webPage(
    'Put a page online',
    html`<p>Stele publishes HTML or a folder at a live URL in one request, without an account, and keeps the full history of each site. Install the <code>stele</code> command, which needs Node 22 or later:</p>
<pre class="paste">curl -fsSL ${baseUrl}/cli/install.sh | sh</pre>
<p>Then <code>stele deploy</code> publishes the site in the current folder. Or use only curl:</p>
<pre class="paste">curl -X POST ${baseUrl}/v1/deploy -H 'content-type: text/html' --data-binary '&lt;h1&gt;Hello&lt;/h1&gt;'</pre>
<p>The response contains the URL of your page and an edit token. Keep the token: until someone claims the site, it is the only way to change the page.</p>
<p>${
      isSignedIn
        ? html`<a href="/sites">Your sites</a>`
        : html`<a href="/sign-in">Sign in</a> to own your sites, share them and rename them.`
    }</p>
<p>Or add <code>${mcpUrl}</code> to an MCP client. It can publish without an account, and asks for your consent before it acts on your behalf.</p>
<h2>Learn more</h2>
<ul>${DOCUMENTS.map(([path, title, about]) => html`<li><a href="${path}">${title}</a> <span class="soft">${about}</span></li>`)}</ul>`,
  );

export const home: Feature = { routes: [HomeController] };
