import childProcess, { type ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import tls, { type TLSSocket } from 'node:tls';
import Mailer from 'nodemailer/lib/mailer';
import { calledStep, die, reach } from './reached-steps.ts';

type Asynchronous = (this: object, ...given: unknown[]) => Promise<unknown>;
type Connecting<Made> = (this: object, ...given: unknown[]) => Made;

const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104, syscall: 'read' });

function hookPromised(
  object: object,
  name: string,
  fault: () => Error,
  isStep: (self: object) => boolean = () => true,
): void {
  const original: Asynchronous = Reflect.get(object, name);
  const hooked: Asynchronous = function (...given) {
    const id = isStep(this) ? calledStep(name) : null;
    if (id === null) return original.apply(this, given);
    const { fault: armed, over } = reach(id);
    if (armed?.what === 'cut' && armed.when === 'before') return Promise.reject(fault());
    return original.apply(this, given).then((result) => {
      if (armed?.what === 'die') die();
      over();
      if (armed) throw fault();
      return result;
    });
  };
  Reflect.set(object, name, hooked);
}

/** Hooks a function that returns a connection. The connection emits the event `answered` when a response arrives. */
function hookConnecting<Made extends EventEmitter>(
  object: object,
  name: string,
  answered: string,
  cut: (made: Made) => void,
): void {
  const original: Connecting<Made> = Reflect.get(object, name);
  const hooked: Connecting<Made> = function (...given) {
    const id = calledStep(name);
    if (id === null) return original.apply(this, given);
    const { fault, over } = reach(id);
    const made = original.apply(this, given);
    if (fault?.what === 'cut' && fault.when === 'before') cut(made);
    made.prependOnceListener(answered, () => {
      if (fault?.what === 'die') die();
      over();
      if (fault) cut(made);
    });
    return made;
  };
  Reflect.set(object, name, hooked);
}

hookPromised(globalThis, 'fetch', () => new TypeError('fetch failed', { cause: reset() }));
const destroy = (made: ClientRequest | TLSSocket) => void made.destroy(reset());
for (const from of [http, https]) hookConnecting(from, 'request', 'response', destroy);
hookConnecting(tls, 'connect', 'secureConnect', destroy);
for (const name of ['spawn', 'execFile'])
  hookConnecting(childProcess, name, 'exit', (made: ChildProcess) => void made.kill('SIGKILL'));
// Leaves out the in-memory transport (`StreamTransport`), because it only composes mails and contacts no server.
hookPromised(
  Mailer.prototype,
  'sendMail',
  () => Object.assign(new Error('Connection closed'), { code: 'ECONNECTION' }),
  (mailer) => mailer instanceof Mailer && mailer.transporter.name !== 'StreamTransport',
);
