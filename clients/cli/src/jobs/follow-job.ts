import { read, type Stele } from 'stele-api/client';
import { followStream } from 'stele-api/streams/follow-stream';
import { RefusedError } from '../command-line/errors.js';
import { withoutRequests } from '../command-line/plain-words.js';
import type { Session } from '../command-line/session.js';
import { oneLine } from '../output/table.js';

type JobLog = { readonly lines: readonly { readonly stream: string; readonly text: string }[] };
type JobStep = { readonly step: string; readonly status: string };

/** Shows the output of a job until it ends, and its result. Throws RefusedError if it failed or was stopped. */
export async function followJob(session: Session, stele: Stele, id: string): Promise<void> {
  for await (const event of followStream(stele, `/v1/jobs/${id}/events`, { signal: session.signal }))
    for (const line of describeEvent(session, event.event, event.data)) session.output.note(line);
  const job = await read(stele.api.GET('/v1/jobs/{id}', { params: { path: { id } } }));
  if (job.status === 'succeeded') {
    const address = job.url ?? '';
    const text = `${session.output.paint('green', 'LIVE')}  ${address}`;
    return session.output.result({ json: { ...job }, quiet: address, text });
  }
  throw new RefusedError(
    // The message can contain lines of the build's own output.
    `The build ${job.status === 'stopped' ? 'was stopped' : job.status}. ${withoutRequests(job.error?.message ?? '')}`.trim(),
    job.error?.code ?? `job_${job.status}`,
    [
      { command: `stele jobs log ${id}`, when: 'to read its output again' },
      { command: `stele jobs rerun --site ${job.slug}`, when: 'to build again' },
    ],
  );
}

function describeEvent({ output }: Session, event: string, data: unknown): string[] {
  if (event === 'job.log') return (data as JobLog).lines.map(({ text }) => `  ${oneLine(text)}`);
  if (event !== 'job.step') return [];
  const { step, status } = data as JobStep;
  return status === 'running'
    ? [output.paint('bold', step)]
    : status === 'failed'
      ? [output.paint('red', `${step} failed`)]
      : [];
}
