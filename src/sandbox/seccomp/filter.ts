import { FAMILIES, NAMESPACE_FLAGS, type Processor, TYPING } from './rules.js';
import { denied, deniedEverywhere, looked } from './system-calls.js';

/** Architecture numbers (`AUDIT_ARCH_…` of linux/audit.h). */
const ARCHITECTURE = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;

/** Offsets of the call number, architecture and lower half of an argument (linux/seccomp.h, `struct seccomp_data`). */
const CALL = 0;
const ARCH = 4;
const argument = (n: number) => 16 + 8 * n;

/** Instructions of classic BPF (linux/bpf_common.h). */
const LOAD = 0x20;
const RETURN = 0x06;
const JUMP_EQUAL = 0x15;
const JUMP_FROM = 0x35;
const JUMP_ANY_BIT = 0x45;

/** Return values of the filter (linux/seccomp.h). */
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const fail = (errno: number) => 0x0005_0000 | errno;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Bit that is set in the numbers of x32 system calls. */
const X32 = 0x4000_0000;

const NEW_NAMESPACES = NAMESPACE_FLAGS.reduce((all, flag) => all | flag, 0);

type FilterInstruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/**
 * Returns the filter in the kernel’s format (`bwrap --seccomp`). Denied calls fail with EPERM. Only four socket
 * families are allowed. New namespaces and other system call ABIs are not allowed.
 */
export function seccompFilter(processor: Processor): Buffer {
  const { ioctl, socket, socketpair, clone, clone3 } = looked[processor];
  const refused = [...Object.values(denied[processor]), ...Object.values(deniedEverywhere)];
  const program: FilterInstruction[] = [
    [LOAD, 0, 0, ARCH],
    [JUMP_EQUAL, 1, 0, ARCHITECTURE[processor]],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, CALL],
    ...(processor === 'x64' ? answer(JUMP_FROM, X32, fail(ENOSYS)) : []),
    ...answer(JUMP_EQUAL, clone3, fail(ENOSYS)),
    ...refused.flatMap((call) => answer(JUMP_EQUAL, call, fail(EPERM))),
    ...[socket, socketpair].flatMap((call) => when(call, [...only(FAMILIES, fail(EAFNOSUPPORT))], 0)),
    ...when(clone, answer(JUMP_ANY_BIT, NEW_NAMESPACES, fail(EPERM)), 0),
    ...when(
      ioctl,
      TYPING.flatMap((request) => answer(JUMP_EQUAL, request, fail(EPERM))),
      1,
    ),
    [RETURN, 0, 0, ALLOW],
  ];
  const bytes = Buffer.alloc(8 * program.length);
  for (const [n, [code, whenTrue, whenFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * n);
    bytes.writeUInt8(whenTrue, 8 * n + 2);
    bytes.writeUInt8(whenFalse, 8 * n + 3);
    bytes.writeUInt32LE(value, 8 * n + 4);
  }
  return bytes;
}

/** Filter instructions that return `verdict` if the comparison with the loaded value is true. */
const answer = (compare: number, value: number, verdict: number): FilterInstruction[] => [
  [compare, 0, 1, value],
  [RETURN, 0, 0, verdict >>> 0],
];

/** Filter instructions that allow the listed values and return `otherwise` for all others. */
const only = (values: readonly number[], otherwise: number): FilterInstruction[] => [
  ...values.map((value, n): FilterInstruction => [JUMP_EQUAL, values.length - n, 0, value]),
  [RETURN, 0, 0, otherwise >>> 0],
];

/**
 * Filter instructions that apply `instructions` to argument `n` of one system call, and allow all other system calls.
 */
const when = (call: number, instructions: readonly FilterInstruction[], n: number): FilterInstruction[] => [
  [JUMP_EQUAL, 0, instructions.length + 2, call],
  [LOAD, 0, 0, argument(n)],
  ...instructions,
  [RETURN, 0, 0, ALLOW],
];
