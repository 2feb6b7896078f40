import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { StandIn } from '../support/eventstore/kurrent/stand-in.js';

/** Program that sends the beginning of an append with the official client's gRPC code, and waits. */
const sending = (port: number) => `
import grpc from '@grpc/grpc-js';
import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';

const call = new services.StreamsClient('127.0.0.1:${port}', grpc.credentials.createInsecure()).append(() => {});
const stream = new shared.StreamIdentifier();
stream.setStreamName(Buffer.from('half').toString('base64'));
const options = new streams.AppendReq.Options();
options.setStreamIdentifier(stream);
options.setNoStream(new shared.Empty());
const first = new streams.AppendReq();
first.setOptions(options);
const id = new shared.UUID();
id.setString('00000000-0000-4000-8000-000000000001');
const message = new streams.AppendReq.ProposedMessage();
message.setId(id);
message.getMetadataMap().set('type', 'Half').set('content-type', 'application/json');
message.setData(Buffer.from('{}').toString('base64'));
const second = new streams.AppendReq();
second.setProposedMessage(message);
call.write(first);
call.write(second);
`;

// Like a real server, the fake one writes an append completely or not at all. Half an append could block a site's
// creation forever.
it('the simulated EventStoreDB writes nothing if a client dies in the middle of sending an append', async () => {
  const standIn = await StandIn.start();
  for (let n = 1; n <= 2; n++) {
    const sender = spawn(process.execPath, ['--input-type=module', '-e', sending(standIn.port)], { stdio: 'inherit' });
    const exited = once(sender, 'exit');
    while (standIn.appended.events < n) await new Promise(setImmediate);
    sender.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
    while (standIn.appended.unfinished < n) await new Promise(setImmediate);
  }
  expect(standIn.log.all.filter(({ type }) => type === 'Half')).toEqual([]);
  standIn.stop();
});
