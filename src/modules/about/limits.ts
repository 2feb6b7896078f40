import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { JSON_LIMIT } from '../../http/api/body/read-body.js';
import { RateLimits } from '../../http/limits/rate-limits.js';
import { type Rate, rates } from '../../http/limits/rates.js';
import { reservedNames } from '../../kernel/reserved-names.js';
import type { Feature } from '../../process/nest/features.js';
import { AnonymousExpiry, LimitsOfDeploys } from '../../settings.deploys.js';
import type { Session } from '../../tables/people/sessions.js';

const Limits = z
  .object({
    caller: z.enum(['anonymous', 'user']).meta({ description: 'As whom this request was seen.' }),
    deploy: z.object({
      bytes: z.number().int().meta({ description: 'Of all files of one deploy.' }),
      fileBytes: z.number().int().meta({ description: 'Of one file.' }),
      files: z.number().int(),
      jsonBytes: z.number().int().meta({ description: 'Of a JSON or html deploy body.' }),
      serverBytes: z.number().int().meta({
        description: 'Of the output or image of a deploy that is a program; the limits of files do not hold for it.',
      }),
      expiresAfter: z.number().int().nullable().meta({
        description:
          'Seconds after which a new site of this caller ends, unless it is claimed or asked for another time with `expires`; null where it stays.',
      }),
    }),
    jsonBytes: z.number().int().meta({ description: 'Of any other JSON body.' }),
    slug: z.object({
      pattern: z.string(),
      reserved: z.array(z.string()).meta({ description: 'Names no site can have.' }),
      reservedPatterns: z.array(z.string()).meta({ description: 'No site’s name matches one of these.' }),
    }),
    rates: z.object({
      enforced: z.boolean(),
      items: z.array(
        z.object({
          name: z.string().meta({ description: 'As in the headers ratelimit-policy and ratelimit.' }),
          limit: z.number().int().meta({ description: 'Requests; bytes where the name ends in -bytes.' }),
          seconds: z.number().int(),
          per: z
            .enum(['address', 'site', 'email', 'user', 'address and site'])
            .meta({ description: 'What is counted together; an IPv6 address by its /64.' }),
        }),
      ),
    }),
  })
  .meta({ id: 'Limits' });

@ApiTags('About')
@Controller('v1/limits')
class LimitsController {
  constructor(
    @Inject(LimitsOfDeploys) private readonly deploy: LimitsOfDeploys,
    @Inject(AnonymousExpiry) private readonly anonymousExpiry: AnonymousExpiry,
    @Inject(RateLimits) private readonly rateLimits: RateLimits,
  ) {}

  @ApiOperation({
    summary: 'The limits, rates and reserved names that apply to the caller',
    description:
      'A request does not count against a rate if it was refused for want of a right (401, 403, 404), if it was refused with a body of at most 64 KiB that made no more work than that, if it is a retry that was answered before, or if the fault was ours.',
  })
  @ApiResponse({ status: 200, standardSchema: Limits, description: 'Bytes, counts, seconds.' })
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
        serverBytes: this.deploy.programBytes,
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

/** The rates that hold for this caller, each listed once. A rate counted by user holds only for those who are signed in. */
function ratesOf(session: Session | null): readonly Rate[] {
  const all: readonly Rate[] = Object.values(rates);
  return session ? [...new Set(all.map((rate) => rate.signedIn ?? rate))] : all.filter(({ per }) => per !== 'user');
}

const shownRate = ({ name, limit, seconds, per }: Rate) => ({ name, limit, seconds, per });

export const limits: Feature = { routes: [LimitsController] };
