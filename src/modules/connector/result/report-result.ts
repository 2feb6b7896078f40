import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Agent } from '../../../accounts/tokens/connector-tokens.js';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { having, ifHaving, lacking } from '../../../edge/http/api/schemas/having.js';
import { bySystem } from '../../../kernel/command-context.js';
import { isId } from '../../../kernel/ids.js';
import { quoteId } from '../../../kernel/output/quote-id.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { ConnectorSettings } from '../../../settings/settings.js';
import { SiteLookup } from '../../serving/api/site-lookup.js';
import { WorkQueue } from '../api/work-queue.js';
import { AtOnce } from '../at-once.js';
import type { InvocationResponse } from '../invocation-response.js';
import { MAX_BODY_BYTES, MAX_VALUES, parsePayload } from '../payload.js';
import { NextWork } from '../poll/next-work.js';
import { MAX_WORK_ATTEMPTS } from '../poll/work-dispatcher.js';
import type { Offer } from '../queue/work.js';
import { WorkResults } from '../queue/work-results.js';
import { requireAgent } from '../require-agent.js';
import { WORK_RESULT } from '../waiting/waiting-callers.js';
import { FinishWork } from '../work-command.js';
import { WorkSettlement } from './work-settlement.js';

const MAX_PARTS = { parts: 1_000, bytes: 4 * 1_048_576 };

const ResultBody = z
  .strictObject({
    output: z.unknown().optional().meta({ description: 'Output of the work: any JSON value of up to 256 KiB.' }),
    error: z
      .strictObject({ message: z.string().min(1).max(4_096) })
      .optional()
      .meta({ description: 'Sent instead of `output` if the work failed. The caller sees the message.' }),
    partial: z.literal(true).optional().meta({
      description:
        'Marks `output` as one part of the result, with more parts to follow. Each part renews the lease for its full duration.',
    }),
    attempt: z.int().min(1).max(1_000_000).optional().meta({
      description:
        'The `attempt` that the poll returned with the work. If several agents share a token, this number distinguishes a late result from a current one.',
    }),
  })
  .refine(({ output, error }) => (output === undefined) !== (error === undefined), {
    path: ['output'],
    error: 'is required unless `error` is sent, and must not be sent together with it',
  })
  .refine(({ partial, error }) => !partial || error === undefined, {
    path: ['partial'],
    error: 'must not be sent together with `error`',
  })
  .meta(ifHaving('output', lacking('error'), { ...having('error'), ...lacking('partial') }));

const RecordedResult = z
  .object({
    id: z.string(),
    status: z.enum(['leased', 'succeeded', 'failed']),
    attempt: z.number().int(),
    deadline: z
      .string()
      .optional()
      .meta({ description: 'Time by which the next part or the result must arrive. Present if a part was sent.' }),
  })
  .meta({ id: 'ConnectorResultRecorded' });

type RecordedResult = z.output<typeof RecordedResult>;

@ApiTags('Connector')
@Controller('v1/connector/result/:id')
class ResultController {
  constructor(
    private readonly atOnce: AtOnce,
    private readonly commands: CommandBus,
    private readonly hosts: SiteLookup,
    private readonly queue: WorkQueue,
    private readonly answers: WorkResults,
    private readonly next: NextWork,
    private readonly settling: WorkSettlement,
    private readonly wakeUps: WakeUps,
    private readonly settings: ConnectorSettings,
  ) {}

  @ApiOperation({
    summary: 'Report a work result',
    description:
      'For the agent that has leased the work. Only the first result is recorded: sending the same result again returns 200, and sending a different one returns 409 `lease_lost`. With `partial`, the output is added as a part of the result. Callers that requested a stream receive each part immediately.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: RecordedResult,
    description: 'The result was recorded and the caller notified.',
  })
  @Route({ agent: true, jsonBytes: MAX_BODY_BYTES, jsonValues: MAX_VALUES })
  @ApiProblems('lease_lost')
  @Post()
  @HttpCode(200)
  async reportResult(
    @Param('id') workId: string,
    @Body({ schema: ResultBody }) { output, error, partial, attempt: given }: z.output<typeof ResultBody>,
    @Req() request: FastifyRequest,
  ): Promise<RecordedResult> {
    const agent = requireAgent(request, this.hosts);
    const attempt = given ?? null;
    if (!isId('wrk', workId)) return refuseUnknown(workId);
    if (partial) return this.#addPart(agent, workId, attempt, output);
    const outcome = error === undefined ? 'succeeded' : 'failed';
    const { text, digest, size } = parsePayload(error ?? output, error === undefined ? 'output' : 'error');
    const { siteId, tokenId } = agent;
    const offer = { workId, siteId, tokenId, attempt, outcome, output: text, digest } as const;
    const counted = (await this.#finishAtOnce(offer, size, agent)) ? 1 : await this.#finishByStep(offer, size);
    const result = error === undefined ? { output: output as InvocationResponse['output'] } : { error };
    this.settling.answered({ id: workId, status: outcome, ...result });
    return { id: workId, status: outcome, attempt: counted };
  }

  /**
   * Stores the result. If the agent is expected to poll again immediately, the same transaction leases its next work.
   */
  async #finishAtOnce(offer: Offer, size: number, agent: Agent): Promise<boolean> {
    if (!this.next.isWantedBy(agent)) {
      const isDone = await this.atOnce.finish(offer, size);
      this.next.answered(agent, null);
      return isDone;
    }
    const next = await this.atOnce.finishAndTake(offer, size, agent, MAX_WORK_ATTEMPTS);
    this.next.answered(agent, next ?? null);
    return next !== undefined;
  }

  /** Stores the result, records it in the log, then ends the work in the queue. Returns the number of the attempt. */
  async #finishByStep(offer: Offer, size: number): Promise<number> {
    const offered = await this.queue.offer(offer);
    if (offered.kind === 'unknown') return refuseUnknown(offer.workId);
    if (offered.kind === 'lost') return refuseLost();
    const { attempt } = offered;
    const { workId, tokenId, outcome, digest } = offer;
    const context = bySystem(new Date().toISOString());
    await this.commands.execute(
      new FinishWork({ context, workId, attempt, tokenId, outcome, result: { digest, size } }),
    );
    await this.queue.settle(workId, outcome);
    return attempt;
  }

  async #addPart({ siteId, tokenId }: Agent, workId: string, attempt: number | null, output: unknown) {
    const { text } = parsePayload(output, 'output');
    const part = { workId, siteId, tokenId, attempt, output: text };
    const added = await this.answers.add(part, this.settings.leaseMs, MAX_PARTS);
    switch (added.kind) {
      case 'added':
        this.wakeUps.tell(WORK_RESULT, workId);
        return { id: workId, status: 'leased', attempt: added.attempt, deadline: added.until.toISOString() } as const;
      case 'full':
        return refuse('quota_exceeded', 'One attempt can have at most 1,000 parts, with a total of 4 MiB.');
      case 'lost':
        return refuseLost();
      case 'unknown':
        return refuseUnknown(workId);
    }
  }
}

function refuseUnknown(workId: string): never {
  return refuse('not_found', `This agent has no work item ${quoteId(workId)}.`);
}

function refuseLost(): never {
  return refuse('lease_lost', 'This work item is already finished or was assigned again. The result was not recorded.');
}

export const reportResult: Feature = { routes: [ResultController], providers: [WorkSettlement] };
