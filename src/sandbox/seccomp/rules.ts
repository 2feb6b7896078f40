import { denied } from './system-calls.js';

export type Processor = keyof typeof denied;

export const isProcessor = (arch: string): arch is Processor => Object.hasOwn(denied, arch);

/**
 * Allowed socket families: `AF_UNIX`, `AF_INET`, `AF_INET6`, `AF_NETLINK`. Vsock is not allowed, because network
 * namespaces do not isolate it.
 */
export const FAMILIES: readonly number[] = [1, 2, 10, 16];

/** `CLONE_NEWTIME`, `NS`, `CGROUP`, `UTS`, `IPC`, `USER`, `PID` and `NET` (linux/sched.h). */
export const NAMESPACE_FLAGS = [
  0x0000_0080, 0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
] as const;

/** `TIOCSTI` and `TIOCLINUX`, requests that can type into the terminal from which this service was started. */
export const TYPING = [0x5412, 0x541c] as const;
