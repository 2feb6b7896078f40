import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Only root can mount file systems. */
export const canSetUpDisks = process.getuid?.() === 0;

export class SmallDisk {
  private constructor(readonly folder: string) {}

  static async on(folder: string, bytes: number): Promise<SmallDisk> {
    await mkdir(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
    return new SmallDisk(folder);
  }

  /** Fills the disk completely, and returns a function that frees the space. */
  async fill(): Promise<() => Promise<void>> {
    const filler = join(this.folder, 'filler');
    for (let size = 1024 * 1024; size >= 4096; size /= 2)
      for (;;)
        try {
          await writeFile(filler, Buffer.alloc(size), { flag: 'a' });
        } catch {
          break;
        }
    return () => rm(filler);
  }

  remove() {
    execFileSync('umount', ['--lazy', this.folder]);
  }
}
