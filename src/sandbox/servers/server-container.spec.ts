import { describe, expect, it } from '@jest/globals';
import type { ContainerSettings } from '../container/container-options.js';
import { besideOptions, buildServerOptions } from './server-container.js';
import type { ServerSandbox } from './server-sandbox.js';
import type { StoredImage } from './stored-images.js';

const settings: ContainerSettings = {
  ...{ image: 'localhost/machine', ourselves: { uid: 1, gid: 1 }, isPodman: true, processor: 'x64', profile: '/p' },
};
const sandbox = { name: 'r', owner: { uid: 9, gid: 9 }, sockets: '/s', proxy: null } as ServerSandbox;
const image: StoredImage = { name: 'localhost/x', user: null, port: '80', writableFolders: [], labels: {} };
const server = {
  ...{ kind: 'container' as const, digest: '0', content: async function* () {}, env: {}, hosts: [] },
  limits: { memoryBytes: 1, processes: 1, diskBytes: 1, cpus: 1 },
  ...{ onOutput: async () => undefined, onRefused: () => undefined },
};

describe('The containers of a server', () => {
  it('an unprivileged server can listen on port 80, but only in its own network', () => {
    const beside = besideOptions(settings, sandbox, { node: '/n', beside: '/b' }, image);
    expect(beside.HostConfig?.NetworkMode).toBe('none');
    expect(beside.HostConfig?.Sysctls).toEqual({ 'net.ipv4.ip_unprivileged_port_start': '0' });
    const joined = buildServerOptions(settings, sandbox, image, server, 'abc');
    expect(joined.HostConfig?.NetworkMode).toBe('container:abc');
    expect(joined.HostConfig?.Sysctls).toBeUndefined();
    expect(buildServerOptions(settings, sandbox, image, server, null).HostConfig?.Sysctls).toEqual(
      beside.HostConfig?.Sysctls,
    );
  });
});
