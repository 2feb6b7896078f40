import fs from 'node:fs/promises';
import { calledStep, die, reach } from './reached-steps.mjs';

const errorOf = (code, syscall) => Object.assign(new Error(`${code}: ${syscall}`), { code, errno: -1, syscall });

function hookFiles(object, name, call, { isStep = () => true, half = null } = {}) {
  const original = object[name];
  object[name] = function (...given) {
    const id = isStep(given) ? calledStep(call) : null;
    if (id === null) return original.apply(this, given);
    const { fault, over } = reach(id);
    const failed = () => Promise.reject(errorOf('ENOSPC', name));
    if (fault && fault.what !== 'die') return half ? half.call(this, original, given).then(failed) : failed();
    return original.apply(this, given).then((result) => {
      if (fault) die();
      over();
      return result;
    });
  };
}

const opensToMake = ([, flags]) => typeof flags === 'number' || /[wa]/.test(flags ?? 'r');
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
/** A disk that is full takes a part of what is written. */
const halfOf = {
  writev(original, [pieces, at]) {
    const [first] = pieces;
    return original.call(this, [first.subarray(0, Math.ceil(first.length / 2))], at);
  },
  write(original, [bytes, from = 0, length = bytes.length - from, at]) {
    return original.call(this, bytes, from, Math.ceil(length / 2), at);
  },
};
for (const call of ['appendFile', 'datasync', 'sync', 'truncate', 'write', 'writeFile', 'writev'])
  hookFiles(FileHandle, call, `file.${call}`, { half: halfOf[call] ?? null });
