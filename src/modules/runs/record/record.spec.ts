import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../test/support/events/given-when.js';
import {
  type RunEvent,
  RunFailed,
  RunLogged,
  RunProgressed,
  RunStarted,
  RunSucceeded,
} from '../../../events/run.events.js';
import { run } from '../run.state.js';
import { decideRecord, MAX_RUN_EVENTS, type RunEventKind } from './record.decide.js';

const said = { data: '{"text":"hello"}', jobId: null };
const tell = (kind: RunEventKind) => ({ kind, ...said });

describe('Reporting an event of a run', () => {
  it.each<[RunEventKind, RunEvent]>([
    ['run.started', RunStarted(said)],
    ['run.progress', RunProgressed(said)],
    ['run.log', RunLogged(said)],
    ['run.succeeded', RunSucceeded(said)],
    ['run.failed', RunFailed(said)],
  ])('records the event %s', (kind, event) => given(run).when(decideRecord, tell(kind)).records(event));

  it('a repeated log line is recorded again', () =>
    given(run, RunStarted(said), RunLogged(said)).when(decideRecord, tell('run.log')).records(RunLogged(said)));

  it.each([RunSucceeded(said), RunFailed(said)])('an event after the end of the run is refused: %j', (end) =>
    given(run, RunStarted(said), end).when(decideRecord, tell('run.log')).refuses('job_finished'),
  );

  it('an event is refused once the run has the maximum number of events', () => {
    const many = Array.from({ length: MAX_RUN_EVENTS - 1 }, () => RunLogged(said));
    given(run, ...many)
      .when(decideRecord, tell('run.succeeded'))
      .records(RunSucceeded(said));
    given(run, ...many, RunLogged(said))
      .when(decideRecord, tell('run.succeeded'))
      .refuses('quota_exceeded');
  });

  it('a run is not reopened by an event after its end, even if a newer version of the service recorded the event', () =>
    expect(stateAfter(run, [RunFailed(said), RunLogged(said)])).toEqual({ status: 'over' }));
});
