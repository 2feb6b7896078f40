// Makes `database.test` resolve to this machine unless the file at STELE_TEST_LOST_NAME exists.
import dns from 'node:dns';
import { existsSync } from 'node:fs';

type Done = (error: Error | null, ...found: unknown[]) => void;
type Lookup = (name: string, options: unknown, done?: Done) => void;

const isDone = (value: unknown): value is Done => typeof value === 'function';
// Typed as a plain object, because TypeScript cannot forward the calls of an overloaded function.
const members: object = dns;
const lookup: Lookup = Reflect.get(members, 'lookup');
const hooked: Lookup = (name, options, given) => {
  const done = given ?? (isDone(options) ? options : undefined);
  if (name !== 'database.test') return lookup(name, options, done);
  if (!existsSync(process.env.STELE_TEST_LOST_NAME ?? '')) return lookup('127.0.0.1', options, done);
  const fault = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {
    ...{ errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: name },
  });
  if (done) process.nextTick(done, fault);
};
Reflect.set(members, 'lookup', hooked);
