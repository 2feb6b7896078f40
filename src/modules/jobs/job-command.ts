import { jobStream } from '../../events/job.events.js';
import { commandsOn } from '../../process/nest/stream-command.js';
import { job } from './job.state.js';

/** A command on one job, by the rule it is given. */
export const JobCommand = commandsOn(({ jobId }: { readonly jobId: string }) => jobStream(jobId), job);
