import { readFileSync } from 'node:fs';
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import type { Feature } from '../../../process/nest/features.js';
import { parseChangelog } from './changelog.js';
import { rssOf } from './feed.js';

const Entries = z.array(z.string()).optional();

const Changelog = z
  .object({
    versions: z.array(
      z.object({
        version: z.string().meta({ description: '`Unreleased`, or a semantic version.' }),
        date: z.string().nullable().meta({ description: '`YYYY-MM-DD`; null for what is not released.' }),
        changes: z
          .object({
            added: Entries,
            changed: Entries,
            deprecated: Entries,
            removed: Entries,
            fixed: Entries,
            security: Entries,
          })
          .meta({ description: 'By kind, as keepachangelog.com has them; each entry is a line of Markdown.' }),
      }),
    ),
  })
  .meta({ id: 'Changelog' });

/** The changelog as it was when the process started: it belongs to the version that runs. */
const markdown = readFileSync(new URL('../../../../CHANGELOG.md', import.meta.url), 'utf8');
const versions = parseChangelog(markdown);

@ApiTags('About')
@Controller('v1')
class ChangelogController {
  constructor(@Inject(ServiceUrls) private readonly urls: ServiceUrls) {}

  @ApiOperation({ summary: 'What has changed' })
  @ApiResponse({ status: 200, standardSchema: Changelog, description: 'Newest version first.' })
  @Get('changelog')
  changelog() {
    return { versions };
  }

  @ApiOperation({ summary: 'What has changed, to read' })
  @ApiProduces('text/markdown')
  @ApiResponse({ status: 200, description: 'Keep a Changelog.', schema: { type: 'string' } })
  @Header('content-type', 'text/markdown; charset=utf-8')
  @Get('changelog.md')
  changelogText() {
    return markdown;
  }

  @ApiOperation({ summary: 'What has changed, to subscribe to' })
  @ApiProduces('application/rss+xml')
  @ApiResponse({ status: 200, description: 'RSS 2.0, an item for each release.', schema: { type: 'string' } })
  @Header('content-type', 'application/rss+xml; charset=utf-8')
  @Get('changelog.rss')
  changelogFeed() {
    return rssOf(versions, this.urls.baseUrl);
  }
}

export const changelog: Feature = { routes: [ChangelogController] };
