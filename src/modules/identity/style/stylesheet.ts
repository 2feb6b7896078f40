import { hash } from 'node:crypto';
import { Controller, Get, Headers, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PAGE_STYLE } from '../../../edge/http/pages/page-style.js';
import type { Feature } from '../../../nest/features.js';

const ETAG = `"${hash('sha256', PAGE_STYLE).slice(0, 16)}"`;

@ApiExcludeController()
@Controller('assets/pages.css')
class StylesheetController {
  @Get()
  stylesheet(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply) {
    void reply.headers({ etag: ETAG, 'cache-control': 'public, max-age=0, must-revalidate' });
    return known === ETAG ? reply.status(304).send() : reply.type('text/css; charset=utf-8').send(PAGE_STYLE);
  }
}

export const stylesheet: Feature = { routes: [StylesheetController] };
