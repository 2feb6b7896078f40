import { FAMILIES, NAMESPACE_FLAGS, type Processor, TYPING } from './rules.js';
import { denied, deniedEverywhere } from './system-calls.js';

/**
 * A condition of libseccomp on an argument of a system call. A rule can have one condition per argument, and applies if
 * all of them are true.
 */
type Condition = {
  readonly index: number;
  readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_GE' | 'SCMP_CMP_MASKED_EQ';
  readonly value: number;
  readonly valueTwo?: number;
};

type SyscallRule = {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ERRNO';
  readonly errnoRet: number;
  readonly args?: readonly Condition[];
};

type Profile = { readonly defaultAction: 'SCMP_ACT_ALLOW'; readonly syscalls: readonly SyscallRule[] };

export type DockerProfile = Profile & { readonly architectures: readonly string[] };

const ARCHITECTURE = { x64: 'SCMP_ARCH_X86_64', arm64: 'SCMP_ARCH_AARCH64' } as const;

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** A number above the current `AF_MAX`. One rule refuses all socket families from this number on. */
const FAMILIES_END = 64;
/** Linux reads only the lower half of an ioctl request. */
const LOWER_HALF = 0xffff_ffff;

/**
 * Returns the rules of `seccompFilter` in the format of container engines (Docker documentation, “Seccomp profiles”).
 */
export function dockerProfile(processor: Processor): DockerProfile {
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    // A system call of an architecture that is not listed kills the process.
    architectures: [ARCHITECTURE[processor]],
    syscalls: [
      fail([...Object.keys(denied[processor]), ...Object.keys(deniedEverywhere)], EPERM),
      ...looked(),
      ...NAMESPACE_FLAGS.map((flag) =>
        fail(['clone'], EPERM, { index: 0, op: 'SCMP_CMP_MASKED_EQ', value: flag, valueTwo: flag }),
      ),
    ],
  };
}

/** System calls that bubblewrap needs to create a sandbox. Tests have shown that each is necessary. */
const OF_BUBBLEWRAP = new Set(['mount', 'pivot_root', 'umount2', 'unshare']);

/**
 * Returns the profile for containers that run bubblewrap, which allows new namespaces. docker-compose.yml uses it as
 * `builder.seccomp.json`.
 */
export function profileOfBuilder() {
  const names = new Set([denied.x64, denied.arm64, deniedEverywhere].flatMap((calls) => Object.keys(calls)));
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    archMap: Object.values(ARCHITECTURE).map((architecture) => ({ architecture, subArchitectures: [] })),
    syscalls: [fail([...names.difference(OF_BUBBLEWRAP)].sort(), EPERM), ...looked()],
  } satisfies Profile & { archMap: unknown };
}

/** Returns the rules for system calls that are allowed depending on their arguments, except for `clone`. */
function looked(): readonly SyscallRule[] {
  const others = Array.from({ length: FAMILIES_END }, (_, family) => family).filter(
    (family) => !FAMILIES.includes(family),
  );
  const families: Condition[] = [
    ...others.map((value) => ({ index: 0, op: 'SCMP_CMP_EQ' as const, value })),
    { index: 0, op: 'SCMP_CMP_GE', value: FAMILIES_END },
  ];
  return [
    fail(['clone3'], ENOSYS),
    ...families.map((condition) => fail(['socket', 'socketpair'], EAFNOSUPPORT, condition)),
    ...TYPING.map((request) =>
      fail(['ioctl'], EPERM, { index: 1, op: 'SCMP_CMP_MASKED_EQ', value: LOWER_HALF, valueTwo: request }),
    ),
  ];
}

const fail = (names: readonly string[], errnoRet: number, condition?: Condition): SyscallRule => ({
  names,
  action: 'SCMP_ACT_ERRNO',
  errnoRet,
  ...(condition && { args: [condition] }),
});
