import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiLinks, buildLinks, fromResponse } from '../../../edge/http/api/description/api-links.js';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { JsonObject, wellFormed } from '../../../edge/http/api/schemas/json-object.js';
import { Context } from '../../../edge/http/auth/context.js';
import { ClientAddress, computeNetwork } from '../../../edge/http/limits/client-address.js';
import { RateLimits } from '../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { takeBytes } from '../../../edge/http/limits/take-rate.js';
import { runStream } from '../../../events/run.events.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { defineStreamCommand } from '../../../nest/stream-command.js';
import { run } from '../run.state.js';
import { runIdPattern } from '../run-name.js';
import { decideRecord } from './record.decide.js';
import { RunWriters } from './run-writers.js';

/** Maximum size of an event of a run (docs/interface/streams.md, "Runs of the command line"). */
const MAX_BODY_BYTES = 16_384;

/**
 * Maximum number of object members and array items in a request body. This limit is needed because `data` can be any
 * object.
 */
const MAX_VALUES = 4_000;

const CliEvent = z.strictObject({
  runId: z.string().regex(runIdPattern, 'must be run_ followed by 26 digits or lowercase letters'),
  kind: z.enum(['run.started', 'run.progress', 'run.log', 'run.succeeded', 'run.failed']),
  data: JsonObject.optional(),
  jobId: z
    .string()
    .regex(/^job_[0-9a-z]{26}$/, 'must be the ID of a job')
    .optional(),
});

const Recorded = z
  .object({
    id: z.string(),
    runId: z.string(),
    revision: z.number().int().meta({
      description: 'Position of the event in the run, starting at 1. Also the ID of the event in the run’s stream.',
    }),
  })
  .meta({ id: 'RunEventRecorded' });

const RunCommand = defineStreamCommand(({ runId }: { readonly runId: string }) => runStream(runId), run);

export class RecordRunEvent extends RunCommand(decideRecord) {}

@ApiTags('Command line')
@Controller('v1/cli/event')
class RecordRunEventController {
  constructor(
    private readonly commands: CommandBus,
    private readonly writers: RunWriters,
    private readonly clientAddress: ClientAddress,
    private readonly limits: RateLimits,
  ) {}

  @ApiOperation({
    summary: 'Record an event of a command-line run',
    description:
      'Only the caller who recorded the first event of a run can add more events. Callers are identified by their account if they are signed in, otherwise by the edit token they send, otherwise by their IP address. A run can have up to 1,000 events and ends with run.succeeded or run.failed.',
  })
  @ApiHeader({
    name: 'x-svc-edit-token',
    required: false,
    description:
      'Edit token of one of your sites. If it was sent with the first event of a run, send it with all later ones.',
  })
  @ApiResponse({
    status: 202,
    standardSchema: Recorded,
    description: 'The event was recorded. Clients that watch the run receive it.',
  })
  @ApiProblems('forbidden', 'quota_exceeded', 'job_finished')
  @Route({ rate: rates.cliEvents, jsonBytes: MAX_BODY_BYTES, jsonValues: MAX_VALUES })
  @ApiLinks(...buildLinks({ runId: fromResponse('runId') }, 'watchRun'))
  @Post()
  @HttpCode(202)
  async recordRunEvent(
    @Body({ schema: CliEvent }) { runId, kind, data = {}, jobId }: z.output<typeof CliEvent>,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Recorded>> {
    const { userId, editTokenHash } = context.caller;
    const network = computeNetwork(this.clientAddress.addressOf(request.raw));
    const address = `address ${network}`;
    const strong = [
      ...(userId === null ? [] : [`user ${userId}`]),
      ...(editTokenHash === null ? [] : [`token ${editTokenHash}`]),
    ];
    if (!(await this.writers.canWrite(runId, [...strong, address])))
      refuse('forbidden', 'This run was started by another caller.');

    const text = JSON.stringify(wellFormed(data));
    await takeBytes(reply, this.limits, rates.cliEventBytes, network, Buffer.byteLength(text));
    const command = new RecordRunEvent({ context, runId, kind, data: text, jobId: jobId ?? null });
    const { events, head, position } = await this.commands.execute(command);
    if (position !== null) void reply.header('stele-position', String(position));
    return { id: events[0]?.id ?? '', runId, revision: head.revision };
  }
}

export const recordRunEvent: Feature = { routes: [RecordRunEventController] };
