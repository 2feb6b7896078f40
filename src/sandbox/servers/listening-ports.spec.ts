import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { describePorts, readListeningPorts } from './listening-ports.js';

describe('readListeningPorts', () => {
  it('returns the ports of a process', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    expect(await readListeningPorts(process.pid)).toContain(port);
    await new Promise((resolve) => server.close(resolve));
    expect(await readListeningPorts(process.pid)).not.toContain(port);
  });

  it('returns null for a process on another machine', async () =>
    expect(await readListeningPorts(process.pid, '/nonexistent')).toBeNull());
});

describe('describePorts', () => {
  it.each([
    [
      '8080',
      'exposed',
      [5555],
      /port 8080, which the image exposes \(EXPOSE\)\..* listens on port 5555 instead\. Listen on/,
    ],
    ['3000', 'default', [], /port 3000, the default, because the image exposes no port.*does not listen on any port/],
    ['3000', 'default', null, /port 3000, the default.*\(EXPOSE\)\. Listen on the port in/],
    ['8080', 'exposed', [8080], /listens on this port but does not respond/],
  ] as const)(
    'explains why a server on port %s (%s) that listens on %j does not respond',
    (tried, source, listening, text) => expect(describePorts(tried, source, listening)).toMatch(text),
  );
});
