// Preloaded into a process: the name `database.test` leads to this machine, and nowhere while the file that
// STELE_TEST_LOST_NAME names is there.
import dns from 'node:dns';
import { existsSync } from 'node:fs';

const { lookup } = dns;

dns.lookup = (name, options, done = options) => {
  if (name !== 'database.test') return lookup(name, options, done);
  if (!existsSync(process.env.STELE_TEST_LOST_NAME ?? '')) return lookup('127.0.0.1', options, done);
  const fault = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {
    ...{ errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: name },
  });
  process.nextTick(done, fault);
};
