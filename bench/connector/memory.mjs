import { readFileSync } from 'node:fs';

/** What a process has of the machine's memory, in KiB (Linux). */
export const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
