import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ServiceUrls } from '../../edge/http/api/service-urls.js';
import type { Feature } from '../../nest/features.js';
import { SecurityContact } from '../../settings/settings.js';

const DAY_MS = 86_400_000;

/**
 * Expiry of security.txt. RFC 9116 recommends less than a year. Rounded to the end of a day, so that the response
 * changes only once a day.
 */
const expires = (now: number) => new Date((Math.floor(now / DAY_MS) + 180) * DAY_MS).toISOString();

@ApiTags('About')
@Controller('.well-known/security.txt')
class SecurityController {
  constructor(
    private readonly urls: ServiceUrls,
    private readonly contact: SecurityContact,
  ) {}

  @ApiOperation({ summary: 'Get the security contact', description: 'RFC 9116.' })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, description: 'Plain text.', schema: { type: 'string' } })
  @Header('content-type', 'text/plain; charset=utf-8')
  @Get()
  securityText() {
    return [
      `Contact: ${this.contact.uri}`,
      `Expires: ${expires(Date.now())}`,
      'Preferred-Languages: en',
      `Canonical: ${this.urls.baseUrl}/.well-known/security.txt`,
      '',
    ].join('\n');
  }
}

export const security: Feature = { routes: [SecurityController] };
