import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { type JobEvent, jobEvents, readJobId } from '../../events/job.events.js';
import type { Recorded } from '../../kernel/event-store.js';
import { type StopError, toJobRight } from '../../kernel/rights/job-right.js';
import { defineReadModel } from '../read-model.js';

export type JobStep = {
  readonly name: string;
  readonly status: 'running' | 'succeeded' | 'failed' | 'skipped' | 'stopped';
  readonly startedAt: string;
  readonly finishedAt: string | null;
};

@Entity('jobs')
@Index('jobs_of_site', ['siteId', 'createdAt'])
export class JobRow {
  @PrimaryColumn('text', { name: 'job_id' }) jobId!: string;
  @Column('text', { name: 'site_id' }) siteId!: string;
  @Column('text') slug!: string;
  @Column('text') kind!: 'repo_deploy' | 'rerun';
  @Index('jobs_status')
  @Column('text')
  status!: 'queued' | 'running' | 'stopping' | 'succeeded' | 'failed' | 'stopped';
  /** The build plan in JSON, or null until it is detected. */
  @Column('text', { nullable: true }) plan!: string | null;
  /** The steps of the job: a `JobStep[]` in JSON. */
  @Column('text') steps!: string;
  @Column('text', { nullable: true }) commit!: string | null;
  /** ID of the deploy that the job made, or null until it is published. */
  @Column('text', { name: 'deploy_id', nullable: true }) deployId!: string | null;
  /** Whether the job's deploy has the same content as the previous live deploy. Null if this was not recorded. */
  @Column('boolean', { nullable: true }) unchanged!: boolean | null;
  @Column('text', { name: 'error_code', nullable: true }) errorCode!: string | null;
  @Column('text', { name: 'error_message', nullable: true }) errorMessage!: string | null;
  /** The right with which the job was started: a `JobRight` in JSON. */
  @Column('text', { name: 'started_by' }) startedBy!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'started_at', nullable: true }) startedAt!: Date | null;
  @Column('timestamptz', { name: 'finished_at', nullable: true }) finishedAt!: Date | null;
  @Column('integer') revision!: number;
}

export const jobReadModel = defineReadModel<JobRow, JobEvent>(
  jobEvents.map(({ type }) => type),
  {
    name: 'job',
    version: 4,
    entity: JobRow,
    touches: ({ stream }) => [readJobId(stream)],

    evolve(row, event, jobId) {
      if (event.type === 'JobQueued') {
        const { siteId, slug, kind } = event.data;
        return {
          jobId,
          siteId,
          slug,
          kind,
          status: 'queued',
          plan: null,
          steps: '[]',
          commit: null,
          deployId: null,
          unchanged: null,
          errorCode: null,
          errorMessage: null,
          startedBy: JSON.stringify(toJobRight(event.data, event.actor)),
          createdAt: new Date(event.at),
          startedAt: null,
          finishedAt: null,
          revision: event.revision,
        };
      }
      if (event.type === 'JobForgotten') return null;
      return row ? { ...row, ...changeOf(row, event), revision: event.revision } : null;
    },
  },
);

function changeOf(row: JobRow, event: Recorded<JobEvent>): Partial<JobRow> {
  const at = new Date(event.at);
  switch (event.type) {
    case 'JobQueuedAgain':
      return { status: 'queued', startedAt: null, steps: '[]' };
    case 'JobStarted':
      return { status: 'running', startedAt: at };
    case 'JobStepped': {
      const { step, status, commit, plan } = event.data;
      return {
        steps: stepped(row.steps, step, status, event.at),
        ...(commit !== null && { commit }),
        ...(plan !== null && { plan: JSON.stringify(plan) }),
      };
    }
    case 'JobStopRequested':
      return row.status === 'running' ? { status: 'stopping', ...errorOf(event.data) } : {};
    case 'JobStopped': {
      const steps = ended(row.steps, 'stopped', event.at);
      return { status: 'stopped', finishedAt: at, steps, ...errorOf(event.data) };
    }
    case 'JobSucceeded': {
      const { deployId, unchanged } = event.data;
      return { status: 'succeeded', finishedAt: at, deployId, unchanged, ...errorOf({ error: null }) };
    }
    case 'JobFailed': {
      const { code, message } = event.data;
      return {
        status: 'failed',
        finishedAt: at,
        errorCode: code,
        errorMessage: message,
        steps: ended(row.steps, 'failed', event.at),
      };
    }
    default:
      return {};
  }
}

const errorOf = ({ error }: { readonly error: StopError | null }): Partial<JobRow> => ({
  errorCode: error?.code ?? null,
  errorMessage: error?.message ?? null,
});

function stepped(json: string, name: string, status: JobStep['status'], at: string): string {
  const steps: JobStep[] = JSON.parse(json);
  const finishedAt = status === 'running' ? null : at;
  const known = steps.find((step) => step.name === name);
  const step = { name, status, startedAt: known?.startedAt ?? at, finishedAt };
  return JSON.stringify(known ? steps.map((each) => (each === known ? step : each)) : [...steps, step]);
}

/** Ends the steps that were still running when the job ended. */
function ended(json: string, status: JobStep['status'], at: string): string {
  const steps: JobStep[] = JSON.parse(json);
  return JSON.stringify(steps.map((step) => (step.status === 'running' ? { ...step, status, finishedAt: at } : step)));
}
