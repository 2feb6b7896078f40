import { jobStream } from '../../events/job.events.js';
import { defineStreamCommand } from '../../nest/stream-command.js';
import { job } from './job.state.js';

/** Creates a command class from a decide function: `class StopJob extends JobCommand(decideStop) {}`. */
export const JobCommand = defineStreamCommand(({ jobId }: { readonly jobId: string }) => jobStream(jobId), job);
