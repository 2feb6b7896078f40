import { type Entry, fromFdPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';
import type { ScratchFile } from '../../spool/spool-file.js';
import { brokenArchive } from './archive-member.js';

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
const LINK = 0o120000;
const PIPE = 0o010000;

const broken = (why: string) => brokenArchive('zip', why);

/** `what` is set where it is no regular file. */
export type ZipMember = { readonly entry: Entry; readonly path: string; readonly what: string | null };

/** What is in a zip by its central directory, folders aside, in the order in which it lies there. */
export async function directoryOf(
  scratch: ScratchFile,
  limits: DeployLimits,
): Promise<{ zip: ZipFile; members: ZipMember[] }> {
  const members: ZipMember[] = [];
  let folders = 0;
  try {
    const zip = await fromFdPromise(scratch.fd, { decodeStrings: false, validateEntrySizes: true, autoClose: false });
    const eager = zip.entryCount > 0 ? zip.eachEntry() : [];
    for await (const entry of eager) {
      const path = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
      if (path.endsWith('/')) {
        if (entry.uncompressedSize > 0) broken('has a folder with content');
        if (++folders > limits.files + 1000) refuse('too_many_files');
      } else if (members.push({ entry, path, what: kindOf(entry) }) > limits.files + 1000)
        refuse('too_many_files', `A deploy may have ${limits.files} files.`);
    }
    await expectEnd(scratch, Number(zip.readEntryCursor));
    members.sort((a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader);
    return { zip, members };
  } catch (error) {
    throw error instanceof Refusal ? error : broken('is none, or is damaged');
  }
}

/** What Unix knows of a file stands in the upper half of its attributes; zero where another system made it. */
function kindOf(entry: Entry): string | null {
  switch ((entry.externalFileAttributes >>> 16) & FILE_TYPE) {
    case 0:
    case REGULAR:
      return null;
    case LINK:
      return 'a link';
    case PIPE:
      return 'a pipe';
    case FOLDER:
      return 'a folder that has the name of a file';
    default:
      return 'a device';
  }
}

/** The number of entries is told apart from them: a number too low would lose files without a word. */
async function expectEnd(scratch: ScratchFile, at: number): Promise<void> {
  const next = await scratch.at(at, 4);
  if (next.toString('latin1') === 'PK\x01\x02') broken('has more files than it says');
}
