import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { renderInstallScript } from './install-script.js';
import { type OfferedCommand, readOfferedCommand } from './offered-command.js';

/** The archive is read once at startup, so that it matches the running version. */
const offered = readOfferedCommand();

@ApiTags('Command line')
@Controller('cli')
class CommandController {
  constructor(private readonly urls: ServiceUrls) {}

  @ApiOperation({
    summary: 'Get a script that installs the stele command',
    description: 'Run it with `curl -fsSL {base_url}/cli/install.sh | sh`. It installs one file to `~/.local/bin`.',
  })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, description: 'A script for sh.', schema: { type: 'string' } })
  @ApiProblems('not_found')
  @Get('install.sh')
  installScript(@Res() reply: FastifyReply) {
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' })
      .send(renderInstallScript(this.urls.baseUrl, getOffered()));
  }

  @ApiOperation({
    summary: 'Redirect to the archive of the stele command',
    description: 'The address of the archive contains its version, because npm caches an archive by its address.',
  })
  @ApiResponse({ status: 302, description: 'The address of the archive of the newest version is in `location`.' })
  @ApiProblems('not_found')
  @Get('stele.tgz')
  newestArchive(@Res() reply: FastifyReply) {
    const { fileName } = getOffered();
    return reply.header('cache-control', 'no-store').redirect(`${this.urls.baseUrl}/cli/${fileName}`, 302);
  }

  @ApiOperation({
    summary: 'Get the stele command as an npm archive',
    description: 'Run it without installing it: `npx --allow-remote=root {base_url}/cli/stele-VERSION.tgz deploy`.',
  })
  @ApiResponse({
    status: 200,
    description: 'A tar.gz archive with a `package.json` and one JavaScript file.',
    content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiProblems('not_found')
  @Get('stele-:version.tgz')
  archive(
    @Param('version') version: string,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ) {
    const { archive, sha256, fileName, version: newest } = getOffered();
    if (version !== newest)
      refuse('not_found', `This instance only offers version ${newest} of the stele command.`, [], {
        suggestion: `Use ${this.urls.baseUrl}/cli/${fileName}, or ${this.urls.baseUrl}/cli/stele.tgz, which redirects to it.`,
      });
    const etag = `"${sha256.slice(0, 16)}"`;
    void reply.headers({ etag, 'cache-control': 'public, max-age=3600' });
    return known === etag ? reply.status(304).send() : reply.type('application/gzip').send(archive);
  }
}

const getOffered = (): OfferedCommand =>
  offered ??
  refuse('not_found', 'This instance does not offer the stele command, because the command was not built.', [], {
    suggestion: 'The operator can build it with “npm start”, “npm run build” or the Dockerfile.',
  });

export const offerCommand: Feature = { routes: [CommandController] };
