import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { runStream } from '../../../events/run.events.js';
import { ApiProblems } from '../../../http/api/description/api-traits.js';
import { Route } from '../../../http/api/route-options.js';
import { JsonObject, wellFormed } from '../../../http/api/schemas/json-object.js';
import { Context } from '../../../http/auth/context.js';
import { ClientAddress, networkOf } from '../../../http/limits/client-address.js';
import { RateLimits } from '../../../http/limits/rate-limits.js';
import { rates } from '../../../http/limits/rates.js';
import { takeBytes } from '../../../http/limits/take-rate.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import { commandsOn } from '../../../process/nest/stream-command.js';
import { RunWriters } from '../../../tables/run-writers.js';
import { run } from '../run.state.js';
import { runIdPattern } from '../run-name.js';
import { decideRecord } from './record.decide.js';

/** Of one event, in bytes (docs/interface/streams.md, "Runs of the command line"). */
const LARGEST_BODY = 16_384;

const CliEvent = z.strictObject({
  runId: z.string().regex(runIdPattern, 'is not run_ and 26 digits or lower-case letters'),
  kind: z.enum(['run.started', 'run.progress', 'run.log', 'run.succeeded', 'run.failed']),
  data: JsonObject.optional(),
  jobId: z
    .string()
    .regex(/^job_[0-9a-z]{26}$/, 'is not the id of a job')
    .optional(),
});

const Recorded = z
  .object({
    id: z.string(),
    runId: z.string(),
    revision: z.number().int().meta({ description: 'Place in the run, from 1: the id of this event in its stream.' }),
  })
  .meta({ id: 'RunEventRecorded' });

const RunCommand = commandsOn(({ runId }: { readonly runId: string }) => runStream(runId), run);

export class RecordRunEvent extends RunCommand(decideRecord) {}

@ApiTags('Command line')
@Controller('v1/cli/event')
class RecordRunEventController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(RunWriters) private readonly writers: RunWriters,
    @Inject(ClientAddress) private readonly clientAddress: ClientAddress,
    @Inject(RateLimits) private readonly limits: RateLimits,
  ) {}

  @ApiOperation({
    summary: 'Tell of a run of the command line',
    description:
      'Only the caller who wrote the first event of a run may add to it: one who was signed in is known by that, one who sent an edit token by the token, any other by the address. A run has 1,000 events at most, and ends with run.succeeded or run.failed.',
  })
  @ApiHeader({
    name: 'x-svc-edit-token',
    required: false,
    description: 'The edit token of a site of the writer’s: a run keeps to it.',
  })
  @ApiResponse({ status: 202, standardSchema: Recorded, description: 'Recorded; clients that watch the run see it.' })
  @ApiProblems('forbidden', 'quota_exceeded', 'job_finished')
  @Route({ rate: rates.cliEvents, jsonBytes: LARGEST_BODY })
  @Post()
  @HttpCode(202)
  async recordRunEvent(
    @Body({ schema: CliEvent }) { runId, kind, data = {}, jobId }: z.output<typeof CliEvent>,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Recorded>> {
    const { userId, editTokenHash } = context.caller;
    const network = networkOf(this.clientAddress.addressOf(request.raw));
    const address = `address ${network}`;
    const strong = [
      ...(userId === null ? [] : [`user ${userId}`]),
      ...(editTokenHash === null ? [] : [`token ${editTokenHash}`]),
    ];
    if (!(await this.writers.canWrite(runId, [...strong, address])))
      refuse('forbidden', 'Somebody else wrote the first event of this run.');

    const text = JSON.stringify(wellFormed(data));
    await takeBytes(reply, this.limits, rates.cliEventBytes, network, Buffer.byteLength(text));
    const command = new RecordRunEvent({ context, runId, kind, data: text, jobId: jobId ?? null });
    const { events, head, position } = await this.commands.execute(command);
    if (position !== null) void reply.header('stele-position', String(position));
    return { id: events[0]?.id ?? '', runId, revision: head.revision };
  }
}

export const recordRunEvent: Feature = { routes: [RecordRunEventController] };
