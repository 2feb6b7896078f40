import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { ann, bob, noon } from '../../test/support/events/site-examples.js';
import { commandBus } from '../../test/support/eventstore/command-bus.js';
import { MemorySnapshots, MemoryStore } from '../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../adapters/random-ids.js';
import { RunLogged, runStream } from '../events/run.events.js';
import { bySystem } from '../kernel/command-context.js';
import { Transactions } from '../kernel/transactions.js';
import { type Run, run } from '../modules/runs/run.state.js';
import { defineNewStreamCommand, defineStreamCommand } from './stream-command.js';

type Note = { readonly text: string };

const streamOf = ({ runId }: { readonly runId: string }) => runStream(runId);
const decideNote = (_: Run, { text }: Note) => [RunLogged({ data: text, jobId: null })];

class NoteOnRun extends defineStreamCommand(streamOf, run)(decideNote) {}
class NoteOnNewRun extends defineNewStreamCommand(streamOf, run)(decideNote) {}

describe('A command on a stream', () => {
  let store: MemoryStore;
  let commands: CommandBus;
  const events = async () => (await store.read(runStream('run_1'))).events;

  beforeEach(async () => {
    store = new MemoryStore();
    commands = await commandBus(new Transactions(store, new MemorySnapshots(), new RandomIds()));
  });

  it('a command appends the resulting events to the stream that its input identifies', async () => {
    const context = bySystem(noon);
    const outcome = await commands.execute(new NoteOnRun({ context, runId: 'run_1', text: '{"a":1}' }));
    expect(outcome).toMatchObject({ state: { status: 'going', events: 1 }, head: { revision: 1 } });
    expect((await events()).map(({ data }) => data)).toEqual([{ data: '{"a":1}', jobId: null }]);
  });

  it('a command is recorded with the time and the caller or actor from its context', async () => {
    const own = { at: noon, actor: { kind: 'system', name: 'operator' } as const };
    for (const context of [{ at: noon, caller: bob }, { at: noon, caller: ann }, bySystem(noon), own])
      await commands.execute(new NoteOnRun({ context, runId: 'run_1', text: '{"a":1}' }));
    expect((await events()).map(({ at, actor }) => [at, actor])).toEqual([
      [noon, { kind: 'user', id: 'usr_bob' }],
      [noon, { kind: 'anonymous' }],
      [noon, { kind: 'system' }],
      [noon, { kind: 'system', name: 'operator' }],
    ]);
  });

  it('a command defined for new streams also works on a stream that already has events', async () => {
    await store.write(runStream('run_1'), RunLogged({ data: '{}', jobId: null }));
    const outcome = await commands.execute(
      new NoteOnNewRun({ context: bySystem(noon), runId: 'run_1', text: '{"a":1}' }),
    );
    expect(outcome.state).toEqual({ status: 'going', events: 2 });
  });
});
