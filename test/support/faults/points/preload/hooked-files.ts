import fs from 'node:fs/promises';
import { calledStep, die, reach } from './reached-steps.ts';

type Asynchronous = (this: object, ...given: unknown[]) => Promise<unknown>;
/** Does only half of a file operation, such as writing half of the data. */
type Half = (handle: object, original: Asynchronous, given: unknown[]) => Promise<unknown>;

const errorOf = (code: string, syscall: string) =>
  Object.assign(new Error(`${code}: ${syscall}`), { code, errno: -1, syscall });

function hookFiles(
  object: object,
  name: string,
  call: string,
  { isStep = () => true, half }: { isStep?: (given: unknown[]) => boolean; half?: Half | undefined } = {},
): void {
  const original: Asynchronous = Reflect.get(object, name);
  const hooked: Asynchronous = function (...given) {
    const id = isStep(given) ? calledStep(call) : null;
    if (id === null) return original.apply(this, given);
    const { fault, over } = reach(id);
    const failed = () => Promise.reject(errorOf('ENOSPC', name));
    if (fault && fault.what !== 'die') return half ? half(this, original, given).then(failed) : failed();
    return original.apply(this, given).then((result) => {
      if (fault) die();
      over();
      return result;
    });
  };
  Reflect.set(object, name, hooked);
}

const opensToMake = ([, flags]: unknown[]) => typeof flags === 'number' || /[wa]/.test(String(flags ?? 'r'));
for (const call of [
  'appendFile',
  'copyFile',
  'link',
  'mkdir',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'truncate',
  'unlink',
  'writeFile',
])
  hookFiles(fs, call, call);
hookFiles(fs, 'open', 'open', { isStep: opensToMake });

const file = await fs.open('/dev/null');
const FileHandle = Object.getPrototypeOf(file);
await file.close();
/**
 * Functions that do half of a file handle's method, by the name of the method. They simulate a disk that becomes full,
 * which stores only part of the data.
 */
const halfOf: Record<string, Half> = {
  writev(handle, original, [pieces, at]) {
    const [first] = Array.isArray(pieces) ? pieces : [];
    if (!(first instanceof Uint8Array)) throw new TypeError('Expected buffers.');
    return original.call(handle, [first.subarray(0, Math.ceil(first.length / 2))], at);
  },
  write(handle, original, [bytes, from, length, at]) {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('Expected a buffer.');
    const begin = Number(from ?? 0);
    return original.call(handle, bytes, begin, Math.ceil(Number(length ?? bytes.length - begin) / 2), at);
  },
};
for (const call of ['appendFile', 'datasync', 'sync', 'truncate', 'write', 'writeFile', 'writev'])
  hookFiles(FileHandle, call, `file.${call}`, { half: halfOf[call] });
