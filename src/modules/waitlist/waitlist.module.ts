import { Body, Controller, HttpCode, Inject, Module, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Route } from '../../http/api/route-options.js';
import { NO_NUL } from '../../http/api/schemas/texts.js';
import { Email } from '../../http/auth/person-answer.js';
import { rates } from '../../http/limits/rates.js';
import { features } from '../../process/nest/features.js';
import { Waitlist } from '../../tables/people/waitlist.js';

const Joining = z.strictObject({
  email: Email,
  note: z.string().max(2_000).regex(NO_NUL, 'has a character that text cannot have').optional(),
});

const Joined = z.object({ status: z.literal('joined') }).meta({ id: 'WaitlistJoined' });

@ApiTags('Waitlist')
@Controller('v1/waitlist')
class WaitlistController {
  constructor(@Inject(Waitlist) private readonly waitlist: Waitlist) {}

  @ApiOperation({
    summary: 'Ask to be told when there is more',
    description: 'Asking twice is the same as asking once, and is answered the same.',
  })
  @ApiResponse({ status: 200, standardSchema: Joined, description: 'On the list.' })
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

@Module(features({ routes: [WaitlistController] }))
export class WaitlistModule {}
