import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { dockerProfile, profileOfBuilder } from './docker-profile.js';
import type { Processor } from './rules.js';
import { denied, deniedEverywhere } from './system-calls.js';

describe.each<Processor>(['x64', 'arm64'])('The seccomp profile for containers on %s', (processor) => {
  const { defaultAction, architectures, syscalls } = dockerProfile(processor);

  /** Simulates libseccomp. Returns 0 if the system call is allowed. */
  function answer(call: string, ...args: bigint[]): number {
    const rule = syscalls.find(
      ({ names, args: conditions = [] }) =>
        names.includes(call) &&
        conditions.every(({ index, op, value, valueTwo = 0 }) => {
          const given = args[index] ?? 0n;
          if (op === 'SCMP_CMP_EQ') return given === BigInt(value);
          if (op === 'SCMP_CMP_GE') return given >= BigInt(value);
          return (given & BigInt(value)) === BigInt(valueTwo);
        }),
    );
    return rule?.errnoRet ?? 0;
  }

  it('every listed system call is refused, and others are allowed', () => {
    expect({ defaultAction, architectures }).toEqual({
      defaultAction: 'SCMP_ACT_ALLOW',
      architectures: [{ x64: 'SCMP_ARCH_X86_64', arm64: 'SCMP_ARCH_AARCH64' }[processor]],
    });
    for (const call of [...Object.keys(denied[processor]), ...Object.keys(deniedEverywhere)])
      expect([call, answer(call)]).toEqual([call, 1]);
    for (const call of ['read', 'execve', 'fork', 'socket', 'clone', 'ioctl'])
      expect([call, answer(call, call === 'socket' ? 1n : 0n)]).toEqual([call, 0]);
  });

  it('only four socket families are allowed, and setting the argument’s upper half does not circumvent this', () => {
    for (let family = 0n; family < 100n; family++)
      expect([family, answer('socket', family)]).toEqual([family, [1n, 2n, 10n, 16n].includes(family) ? 0 : 97]);
    const vsock = 40n;
    expect(answer('socketpair', vsock)).toBe(97);
    expect(answer('socket', vsock + (1n << 32n))).toBe(97);
  });

  it('new namespaces are refused, but threads and processes are allowed', () => {
    const thread = 0x003d_0f00n;
    for (const flags of [17n, thread]) expect(answer('clone', flags)).toBe(0);
    for (const flag of [
      0x0002_0000n,
      0x0200_0000n,
      0x0400_0000n,
      0x0800_0000n,
      0x1000_0000n,
      0x2000_0000n,
      0x4000_0000n,
    ])
      expect(answer('clone', flag | 17n)).toBe(1);
    expect(answer('clone3')).toBe(38);
  });

  it('inserting terminal input is refused, even if the upper half of the ioctl argument is set', () => {
    expect(answer('ioctl', 0n, 0x5401n)).toBe(0);
    for (const request of [0x5412n, 0x541cn, 0x5412n + (1n << 32n)]) expect(answer('ioctl', 0n, request)).toBe(1);
  });
});

it('the build service’s seccomp profile additionally allows the calls that bubblewrap needs, and no others', () => {
  const { syscalls } = profileOfBuilder();
  const [refused] = syscalls;
  const all = [denied.x64, denied.arm64, deniedEverywhere].flatMap((calls) => Object.keys(calls));
  expect(all.filter((call) => !refused?.names.includes(call)).sort()).toEqual(
    [...['mount', 'pivot_root', 'umount2', 'unshare'], ...['mount', 'pivot_root', 'umount2', 'unshare']].sort(),
  );
  expect(syscalls.some(({ names }) => names.includes('clone'))).toBe(false);
  expect(JSON.parse(readFileSync('builder.seccomp.json', 'utf8'))).toEqual(profileOfBuilder());
});
