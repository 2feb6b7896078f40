import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceUrls } from '../../edge/http/api/service-urls.js';
import { makeSecret } from '../../edge/http/auth/secrets.js';
import { ClientAddress, computeNetwork } from '../../edge/http/limits/client-address.js';
import type { WriteResponse } from '../../edge/http/limits/idempotency.js';
import { jobStream } from '../../events/job.events.js';
import { type ActorContext, type CommandContext } from '../../kernel/command-context.js';
import { Ids } from '../../kernel/ids.js';
import { defineNewStreamCommand } from '../../nest/stream-command.js';
import type { JobTarget } from '../sites/api/deploys.js';
import { JobQueue } from './api/job-queue.js';
import { job } from './job.state.js';
import { decideQueue } from './queue.decide.js';
import { Workers } from './worker/workers.js';

export const JobStartedResponse = z
  .object({
    jobId: z.string(),
    status: z.literal('queued'),
    slug: z.string(),
    eventsUrl: z
      .string()
      .meta({ description: 'URL of the job’s event stream. It remains available after the job has ended.' }),
    editToken: z
      .string()
      .optional()
      .meta({ description: 'Edit token of the new site; only present if the job created an anonymous site.' }),
    claimUrl: z.string().optional(),
  })
  .meta({ id: 'JobStarted' });

const NewJobCommand = defineNewStreamCommand(({ jobId }: { readonly jobId: string }) => jobStream(jobId), job);

export class AddJob extends NewJobCommand(decideQueue) {}

/** IDs and secrets of a new job. A retry after a crash reuses them. */
export type JobIds = {
  readonly at: string;
  readonly jobId: string;
  readonly deployId: string;
  readonly siteId: string;
  readonly memberId: string;
  readonly editToken: string;
};

/** Records each job in the log, then offers it to the workers. */
@Injectable()
export class JobCreator {
  constructor(
    private readonly commands: CommandBus,
    private readonly queue: JobQueue,
    private readonly workers: Workers,
    private readonly ids: Ids,
    private readonly urls: ServiceUrls,
    private readonly clientAddress: ClientAddress,
  ) {}

  makeIds = ({ at }: CommandContext): JobIds => ({
    at,
    jobId: this.ids.make('job'),
    deployId: this.ids.make('dep'),
    siteId: this.ids.make('site'),
    memberId: this.ids.make('mem'),
    editToken: makeSecret('edit'),
  });

  async put(
    kind: 'repo_deploy' | 'rerun',
    { at, jobId, deployId, editToken }: JobIds,
    target: JobTarget,
    { caller }: CommandContext,
    request: FastifyRequest,
  ): Promise<WriteResponse> {
    const owner = caller.userId ?? hash('sha256', this.networkOf(request));
    const position = await this.add(kind, { jobId, deployId }, target, { at, caller }, owner);
    const { slug, isNew } = target;
    const body: z.output<typeof JobStartedResponse> = {
      jobId,
      status: 'queued',
      slug,
      eventsUrl: eventsUrl(this.urls, jobId),
      ...(isNew && caller.userId === null && { editToken, claimUrl: this.urls.claim(slug, editToken) }),
    };
    return { body, headers: position === null ? {} : { 'stele-position': String(position) } };
  }

  /**
   * Creates a job. Returns null if it already exists. Owners take turns in the queue, and jobs with the same `owner`
   * share a turn.
   */
  async add(
    kind: 'repo_deploy' | 'rerun',
    { jobId, deployId }: Pick<JobIds, 'jobId' | 'deployId'>,
    { siteId, slug, source, starter }: JobTarget,
    context: CommandContext | ActorContext,
    owner: string,
  ): Promise<bigint | null> {
    const command = new AddJob({ context, jobId, kind, siteId, slug, deployId, source, ...starter });
    const { position } = await this.commands.execute(command);
    // If the process exits here, the workers find the job in the log.
    await this.queue.offer(jobId, owner);
    this.workers.wake();
    return position;
  }

  /**
   * Returns the caller's network, which counts as the owner of an anonymous caller's jobs in the queue. The queue
   * stores only a hash of the network, and only until the job ends.
   */
  networkOf({ raw }: FastifyRequest): string {
    return computeNetwork(this.clientAddress.addressOf(raw));
  }
}

export const jobPath = (jobId: string) => `/jobs/${jobId}`;

export const eventsUrl = (urls: ServiceUrls, jobId: string) => `${urls.baseUrl}/v1/jobs/${jobId}/events`;
