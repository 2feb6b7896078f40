import { describe, expect, it } from '@jest/globals';
import { seccompFilter } from './filter.js';
import type { Processor } from './rules.js';
import { denied, deniedEverywhere, looked } from './system-calls.js';

const ALLOW = 0x7fff_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const EAFNOSUPPORT = 0x0005_0061;
const KILL = 0x8000_0000;
const ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** Simulates the kernel for the few instructions that the filter uses (linux/bpf_common.h). */
function run(filter: Buffer, { arch, call, args = [] }: { arch: number; call: number; args?: number[] }): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(arch, 4);
  for (const [n, value] of args.entries()) data.writeUInt32LE(value, 16 + 8 * n);
  let loaded = 0;
  for (let at = 0; ; at++) {
    const code = filter.readUInt16LE(8 * at);
    const [whenTrue, whenFalse] = [filter.readUInt8(8 * at + 2), filter.readUInt8(8 * at + 3)];
    const value = filter.readUInt32LE(8 * at + 4);
    if (code === 0x06) return value;
    if (code === 0x20) {
      loaded = data.readUInt32LE(value);
      continue;
    }
    const isTrue = code === 0x15 ? loaded === value : code === 0x35 ? loaded >= value : (loaded & value) !== 0;
    at += isTrue ? whenTrue : whenFalse;
  }
}

describe.each<Processor>(['x64', 'arm64'])('The system call filter on %s', (processor) => {
  const filter = seccompFilter(processor);
  const answer = (call: number, ...args: number[]) => run(filter, { arch: ARCH[processor], call, args });
  const { clone, clone3, ioctl, socket, socketpair } = looked[processor];

  it('every listed system call is refused, and no other', () => {
    const refused = new Set<number>([...Object.values(denied[processor]), ...Object.values(deniedEverywhere)]);
    const special = new Set<number>(Object.values(looked[processor]));
    for (let call = 0; call < 600; call++)
      if (!special.has(call)) expect([call, answer(call)]).toEqual([call, refused.has(call) ? EPERM : ALLOW]);
  });

  it('sockets of only four families are allowed', () => {
    for (const call of [socket, socketpair])
      for (let family = 0; family < 50; family++)
        expect([family, answer(call, family)]).toEqual([
          family,
          [1, 2, 10, 16].includes(family) ? ALLOW : EAFNOSUPPORT,
        ]);
  });

  it('new namespaces are refused, but threads and processes are allowed', () => {
    const thread = 0x003d_0f00;
    expect(answer(clone, 17)).toBe(ALLOW);
    expect(answer(clone, thread)).toBe(ALLOW);
    for (const namespace of [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000])
      expect(answer(clone, namespace | 17)).toBe(EPERM);
    expect(answer(clone3)).toBe(ENOSYS);
  });

  it('inserting terminal input is refused', () => {
    expect(answer(ioctl, 0, 0x5401)).toBe(ALLOW);
    for (const request of [0x5412, 0x541c]) expect(answer(ioctl, 0, request)).toBe(EPERM);
  });

  it('system calls through other ABIs are refused', () => {
    expect(run(filter, { arch: 0x4000_0003, call: 11 })).toBe(KILL);
    if (processor === 'x64') expect(answer(0x4000_0000 + 59)).toBe(ENOSYS);
  });
});
