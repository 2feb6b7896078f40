import childProcess from 'node:child_process';
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import Mailer from 'nodemailer/lib/mailer';
import { calledStep, die, reach } from './reached-steps.mjs';

const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104, syscall: 'read' });

/** Of a function that answers a promise. */
function hookPromised(object, name, fault, isStep = () => true) {
  const original = object[name];
  object[name] = function (...given) {
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
}

/** Of a function that answers something with a connection, which says `answered` when there is an answer. */
function hookConnecting(object, name, answered, cut) {
  const original = object[name];
  object[name] = function (...given) {
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
}

hookPromised(globalThis, 'fetch', () => new TypeError('fetch failed', { cause: reset() }));
for (const from of [http, https]) hookConnecting(from, 'request', 'response', (made) => made.destroy(reset()));
hookConnecting(tls, 'connect', 'secureConnect', (made) => made.destroy(reset()));
for (const name of ['spawn', 'execFile']) hookConnecting(childProcess, name, 'exit', (made) => made.kill('SIGKILL'));
// What a mail is put together with, in memory, asks no server.
hookPromised(
  Mailer.prototype,
  'sendMail',
  () => Object.assign(new Error('Connection closed'), { code: 'ECONNECTION' }),
  ({ transporter }) => transporter.name !== 'StreamTransport',
);
