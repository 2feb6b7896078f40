import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { LOG_STYLE } from '../../edge/http/pages/log-style.js';
import { quoteId } from '../../kernel/output/quote-id.js';
import { refuse } from '../../kernel/refusal.js';
import type { Feature } from '../../nest/features.js';

/** Browser modules in `src/edge/browser` that pages load, and the modules that these import. */
const SCRIPTS: ReadonlySet<string> = new Set(
  'follow,job,job-fold,job-view,line-links,log-entry,log-line,log-page,markup,run,run-view,sgr,site-log'.split(','),
);

@ApiExcludeController()
@Controller('assets')
class PageAssetsController {
  @Get('log.css')
  style(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply) {
    return send(reply, LOG_STYLE, 'text/css', known);
  }

  @Get(':name.js')
  async script(
    @Param('name') name: string,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ) {
    if (!SCRIPTS.has(name)) refuse('not_found', `This service has no script ${quoteId(name)}.`);
    const script = await readFile(new URL(`../../edge/browser/${name}.js`, import.meta.url), 'utf8');
    return send(reply, script, 'text/javascript', known);
  }
}

function send(reply: FastifyReply, text: string, type: string, known: string | undefined) {
  const etag = `"${hash('sha256', text).slice(0, 16)}"`;
  void reply.headers({ etag, 'cache-control': 'public, max-age=0, must-revalidate' });
  return known === etag ? reply.status(304).send() : reply.type(`${type}; charset=utf-8`).send(text);
}

export const pageAssets: Feature = { routes: [PageAssetsController] };
