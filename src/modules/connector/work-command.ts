import { workStream } from '../../events/work.events.js';
import { defineNewStreamCommand, defineStreamCommand } from '../../nest/stream-command.js';
import { decideQueue } from './invoke/queue.decide.js';
import { decideLease, decideReturn } from './poll/lease.decide.js';
import { decideExpire, decideFinish } from './result/finish.decide.js';
import { work } from './work.state.js';

const streamOf = ({ workId }: { readonly workId: string }) => workStream(workId);
const WorkCommand = defineStreamCommand(streamOf, work);
const NewWorkCommand = defineNewStreamCommand(streamOf, work);

export class AddWork extends NewWorkCommand(decideQueue) {}
export class LeaseWork extends WorkCommand(decideLease) {}
export class ReturnWork extends WorkCommand(decideReturn) {}
export class FinishWork extends WorkCommand(decideFinish) {}
export class ExpireWork extends WorkCommand(decideExpire) {}
