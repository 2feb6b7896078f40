import { Controller, Get, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Session } from '../../accounts/people/sessions.js';
import { JSON_LIMIT } from '../../edge/http/api/body/read-body.js';
import { RateLimits } from '../../edge/http/limits/rate-limits.js';
import { type Rate, rates } from '../../edge/http/limits/rates.js';
import { reservedNames } from '../../kernel/reserved-names.js';
import type { Feature } from '../../nest/features.js';
import { AnonymousExpiry, LimitsOfDeploys } from '../../settings/deploy-settings.js';

const Limits = z
  .object({
    caller: z.enum(['anonymous', 'user']).meta({ description: 'Kind of caller that sent this request.' }),
    deploy: z.object({
      bytes: z.number().int().meta({ description: 'Maximum total size of a deploy’s files.' }),
      fileBytes: z.number().int().meta({ description: 'Maximum size of a file.' }),
      files: z.number().int(),
      jsonBytes: z.number().int().meta({ description: 'Maximum size of a JSON or HTML deploy body.' }),
      serverBytes: z.number().int().meta({
        description:
          'Maximum size of the build output or image of a deploy that runs as a server. File limits do not apply to such deploys.',
      }),
      expiresAfter: z.number().int().nullable().meta({
        description:
          'Seconds until a new site of this caller expires, unless the site is claimed or `expires` is set. Null if new sites do not expire.',
      }),
    }),
    jsonBytes: z.number().int().meta({ description: 'Maximum size of any other JSON body.' }),
    slug: z.object({
      pattern: z.string(),
      reserved: z.array(z.string()).meta({ description: 'Reserved slugs, which no site can have.' }),
      reservedPatterns: z
        .array(z.string())
        .meta({ description: 'Regular expressions that match additional reserved slugs.' }),
    }),
    rates: z.object({
      enforced: z.boolean(),
      items: z.array(
        z.object({
          name: z
            .string()
            .meta({ description: 'Name of the rate limit in the `ratelimit-policy` and `ratelimit` headers.' }),
          limit: z
            .number()
            .int()
            .meta({ description: 'Maximum number of requests, or of bytes if the name ends in -bytes.' }),
          seconds: z.number().int(),
          per: z
            .enum(['address', 'site', 'email', 'user', 'address and site'])
            .meta({ description: 'Scope in which requests are counted. IPv6 addresses are grouped by /64 prefix.' }),
        }),
      ),
    }),
  })
  .meta({ id: 'Limits' });

@ApiTags('About')
@Controller('v1/limits')
class LimitsController {
  constructor(
    private readonly deploy: LimitsOfDeploys,
    private readonly anonymousExpiry: AnonymousExpiry,
    private readonly rateLimits: RateLimits,
  ) {}

  @ApiOperation({
    summary: 'List the limits, rates and reserved slugs that apply to the caller',
    description:
      'A request does not count towards a rate limit in any of these cases: it was refused with 401, 403 or 404; it had a body of at most 64 KiB and was refused before it caused further work; it repeats a request with the same idempotency key; or the error was on our side.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: Limits,
    description: 'The limits. Sizes are in bytes, durations in seconds.',
  })
  @Get()
  limits(@Req() { session }: FastifyRequest): z.output<typeof Limits> {
    const { deployBytes, fileBytes, files, bodyBytes } = this.deploy.of(session?.userId ?? null);
    return {
      caller: session ? 'user' : 'anonymous',
      deploy: {
        bytes: deployBytes,
        fileBytes,
        files,
        jsonBytes: bodyBytes,
        serverBytes: this.deploy.serverBytes,
        expiresAfter: session ? null : this.anonymousExpiry.seconds,
      },
      jsonBytes: JSON_LIMIT,
      slug: {
        pattern: '^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$',
        reserved: [...reservedNames],
        reservedPatterns: ['^xn--', '^dep-[0-9a-hjkmnp-tv-z]{26}$'],
      },
      rates: { enforced: this.rateLimits.enforced, items: ratesOf(session).map(shownRate) },
    };
  }
}

/** Returns the rate limits that apply to a caller. Limits per user apply only to signed-in callers. */
function ratesOf(session: Session | null): readonly Rate[] {
  const all: readonly Rate[] = Object.values(rates);
  return session ? [...new Set(all.map((rate) => rate.signedIn ?? rate))] : all.filter(({ per }) => per !== 'user');
}

const shownRate = ({ name, limit, seconds, per }: Rate) => ({ name, limit, seconds, per });

export const limits: Feature = { routes: [LimitsController] };
