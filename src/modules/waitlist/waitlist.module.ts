import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Route } from '../../edge/http/api/route-options.js';
import { NO_NUL } from '../../edge/http/api/schemas/texts.js';
import { Email } from '../../edge/http/auth/person-response.js';
import { rates } from '../../edge/http/limits/rates.js';
import { features } from '../../nest/features.js';
import { Waitlist, waitlistTable } from './waitlist.js';

const Joining = z.strictObject({
  email: Email,
  note: z.string().max(2_000).regex(NO_NUL, 'must not contain null characters').optional(),
});

const Joined = z.object({ status: z.literal('joined') }).meta({ id: 'WaitlistJoined' });

@ApiTags('Waitlist')
@Controller('v1/waitlist')
class WaitlistController {
  constructor(private readonly waitlist: Waitlist) {}

  @ApiOperation({
    summary: 'Join the waitlist',
    description: 'Adding an address that is already on the list has no effect and returns the same response.',
  })
  @ApiResponse({ status: 200, standardSchema: Joined, description: 'The address is on the waitlist.' })
  @Route({ rate: rates.waitlist })
  @Post()
  @HttpCode(200)
  async joinWaitlist(
    @Body({ schema: Joining }) { email, note }: z.output<typeof Joining>,
  ): Promise<z.output<typeof Joined>> {
    await this.waitlist.join(email, note ?? null);
    return { status: 'joined' };
  }
}

@Module(features({ tables: [waitlistTable] }, { routes: [WaitlistController] }))
export class WaitlistModule {}
