import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiLinks, buildLinks, fromResponse } from '../../../edge/http/api/description/api-links.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { untilGone } from '../../../edge/http/server/until-gone.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import type { Feature } from '../../../nest/features.js';
import { SiteLookup } from '../../serving/api/site-lookup.js';
import type { DispatchedWork } from '../queue/work.js';
import { requireAgent } from '../require-agent.js';
import { WaitingAgents } from '../waiting/waiting-agents.js';
import { NextWork } from './next-work.js';
import { SeenAgents } from './seen-agents.js';
import { WorkDispatcher } from './work-dispatcher.js';

const PollQuery = z.strictObject({
  wait: z.coerce
    .number()
    .min(0)
    .max(30)
    .default(25)
    .meta({ description: 'Maximum number of seconds to wait for work.' }),
});

const Work = z
  .object({
    id: z.string(),
    slug: z.string(),
    input: z.json().meta({ description: 'Any JSON value.' }),
    attempt: z
      .number()
      .int()
      .meta({ description: 'Number of times this work has been assigned, including this time.' }),
    deadline: z.string().meta({
      description:
        'Time by which a result must arrive. Otherwise, the work is assigned again. Work is assigned up to 3 times in total.',
    }),
  })
  .meta({ id: 'ConnectorWork' });

const givingBack = new BackgroundTask('give_back_work');

@ApiTags('Connector')
@Controller('v1/connector/poll')
class PollController {
  constructor(
    private readonly hosts: SiteLookup,
    private readonly agents: WaitingAgents,
    private readonly seen: SeenAgents,
    private readonly leasing: WorkDispatcher,
    private readonly next: NextWork,
  ) {}

  @ApiOperation({
    summary: 'Poll for work',
    description:
      'For agents, which send a connector token as the bearer token. Responds immediately if work is waiting, otherwise as soon as work arrives. HEAD requests do not lease work.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: Work,
    description: 'Work that this agent has leased until the deadline.',
  })
  @ApiResponse({ status: 204, description: 'No work arrived. Poll again.' })
  @Route({ agent: true })
  @ApiLinks(...buildLinks({ id: fromResponse('id') }, 'reportResult'))
  @Get()
  async pollConnector(
    @Query({ schema: PollQuery }) { wait }: z.output<typeof PollQuery>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const agent = requireAgent(request, this.hosts);
    const { siteId } = agent;
    if (request.method === 'HEAD') return void reply.status(204).send();
    await this.seen.see(agent);
    const gone = untilGone(reply.raw);
    const kept = this.next.takenBy(agent);
    const work = kept ?? (await this.agents.until(agent, wait * 1_000, gone, () => this.leasing.take(agent)));
    if (!work) return void reply.status(204).send();
    await this.seen.see(agent);
    if (gone.aborted) return this.#giveBack(siteId, work);
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) void this.#giveBack(siteId, work);
    });
    void reply.type('application/json; charset=utf-8').send(this.#answer(siteId, work));
  }

  #giveBack = async (siteId: string, work: DispatchedWork) => {
    await givingBack.run(() => this.leasing.giveBack(siteId, work));
  };

  /** Formats assigned work as JSON. `input` is already encoded. */
  #answer(siteId: string, { workId, input, attempt, until }: DispatchedWork): string {
    const slug = JSON.stringify(this.hosts.findSlug(siteId) ?? '');
    return `{"id":"${workId}","slug":${slug},"input":${input},"attempt":${attempt},"deadline":"${until.toISOString()}"}`;
  }
}

export const poll: Feature = { routes: [PollController], providers: [WorkDispatcher, NextWork, SeenAgents] };
