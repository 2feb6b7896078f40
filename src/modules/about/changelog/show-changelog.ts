import { readFileSync } from 'node:fs';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { Feature } from '../../../nest/features.js';
import { parseChangelog } from './changelog.js';
import { formatRss } from './feed.js';

const Entries = z.array(z.string()).optional();

const Changelog = z
  .object({
    versions: z.array(
      z.object({
        version: z.string().meta({ description: 'Semantic version, or `Unreleased`.' }),
        date: z.string().nullable().meta({ description: 'Release date as `YYYY-MM-DD`, or null if not released yet.' }),
        changes: z
          .object({
            added: Entries,
            changed: Entries,
            deprecated: Entries,
            removed: Entries,
            fixed: Entries,
            security: Entries,
          })
          .meta({
            description: 'Changes by kind, as defined by keepachangelog.com. Each entry is a line of Markdown.',
          }),
      }),
    ),
  })
  .meta({ id: 'Changelog' });

/** The changelog is read once at startup, so that it matches the running version. */
const markdown = readFileSync(new URL('../../../../CHANGELOG.md', import.meta.url), 'utf8');
const versions = parseChangelog(markdown);

@ApiTags('About')
@Controller('v1')
class ChangelogController {
  constructor(private readonly urls: ServiceUrls) {}

  @ApiOperation({ summary: 'Get the changelog' })
  @ApiResponse({ status: 200, standardSchema: Changelog, description: 'The changelog, newest version first.' })
  @Get('changelog')
  changelog() {
    return { versions };
  }

  @ApiOperation({ summary: 'Get the changelog as Markdown' })
  @ApiProduces('text/markdown')
  @ApiResponse({
    status: 200,
    description: 'The changelog in the format of Keep a Changelog.',
    schema: { type: 'string' },
  })
  @Header('content-type', 'text/markdown; charset=utf-8')
  @Get('changelog.md')
  changelogText() {
    return markdown;
  }

  @ApiOperation({ summary: 'Get the changelog as an RSS feed' })
  @ApiProduces('application/rss+xml')
  @ApiResponse({ status: 200, description: 'RSS 2.0 with one item per release.', schema: { type: 'string' } })
  @Header('content-type', 'application/rss+xml; charset=utf-8')
  @Get('changelog.rss')
  changelogFeed() {
    return formatRss(versions, this.urls.baseUrl);
  }
}

export const changelog: Feature = { routes: [ChangelogController] };
