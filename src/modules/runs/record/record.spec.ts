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
import { decideRecord, MOST_EVENTS, type RunEventKind } from './record.decide.js';

const said = { data: '{"text":"hello"}', jobId: null };
const tell = (kind: RunEventKind) => ({ kind, ...said });

describe('Telling of a run', () => {
  it.each<[RunEventKind, RunEvent]>([
    ['run.started', RunStarted(said)],
    ['run.progress', RunProgressed(said)],
    ['run.log', RunLogged(said)],
    ['run.succeeded', RunSucceeded(said)],
    ['run.failed', RunFailed(said)],
  ])('records %s', (kind, event) => given(run).when(decideRecord, tell(kind)).records(event));

  it('records the same again: a line may be said twice', () =>
    given(run, RunStarted(said), RunLogged(said)).when(decideRecord, tell('run.log')).records(RunLogged(said)));

  it.each([RunSucceeded(said), RunFailed(said)])('adds nothing to a run that is over: %j', (end) =>
    given(run, RunStarted(said), end).when(decideRecord, tell('run.log')).refuses('job_finished'),
  );

  it('takes so many events and no more', () => {
    const many = Array.from({ length: MOST_EVENTS - 1 }, () => RunLogged(said));
    given(run, ...many)
      .when(decideRecord, tell('run.succeeded'))
      .records(RunSucceeded(said));
    given(run, ...many, RunLogged(said))
      .when(decideRecord, tell('run.succeeded'))
      .refuses('quota_exceeded');
  });

  it('stays over, whatever a newer version of the product added', () =>
    expect(stateAfter(run, [RunFailed(said), RunLogged(said)])).toEqual({ status: 'over' }));
});
