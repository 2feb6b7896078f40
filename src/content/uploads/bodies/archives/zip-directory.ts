import { type Entry, fromFdPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { Refusal, refuse } from '../../../../kernel/refusal.js';
import { assertPathLength } from '../../checks/site-path.js';
import { type DeployLimits, refuseFileCount } from '../../deploy-limits.js';
import type { SpoolFile } from '../../spool/spool-file.js';
import { refuseArchive } from './archive-member.js';

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
const LINK = 0o120000;
const PIPE = 0o010000;

const broken = (why: string) => refuseArchive('zip', why);

/** A member of a zip. `nonFileKind` names its kind (“a link”), or is null for a regular file. */
export type ZipMember = { readonly entry: Entry; readonly path: string; readonly nonFileKind: string | null };

/** Reads the central directory of a zip. Returns its members without folders, in the order in which they are stored. */
export async function directoryOf(
  spoolFile: SpoolFile,
  limits: DeployLimits,
): Promise<{ zip: ZipFile; members: ZipMember[] }> {
  const members: ZipMember[] = [];
  let folders = 0;
  let named = 0;
  try {
    const zip = await fromFdPromise(spoolFile.fd, { decodeStrings: false, validateEntrySizes: true, autoClose: false });
    const entries = zip.entryCount > 0 ? zip.eachEntry() : [];
    for await (const entry of entries) {
      const path = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
      assertPathLength(path, `files[${members.length}].path`);
      named += path.length;
      if (named > limits.files * 1024 + 1_048_576) broken('has file names whose total length is too large');
      if (path.endsWith('/')) {
        if (entry.uncompressedSize > 0) broken('has a folder entry with content');
        if (++folders > limits.files + 1000) refuse('too_many_files', 'The archive contains too many folders.');
      } else if (members.push({ entry: lightened(entry), path, nonFileKind: kindOf(entry) }) > limits.files + 1000)
        refuseFileCount(limits);
    }
    await assertEnd(spoolFile, Number(zip.readEntryCursor));
    members.sort((a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader);
    return { zip, members };
  } catch (error) {
    throw error instanceof Refusal ? error : broken('is damaged or is not a zip file');
  }
}

/**
 * Removes the name, comment and extra fields from an entry. Each can have 64 KiB, multiplied by thousands of members.
 */
function lightened(entry: Entry): Entry {
  const bytes = { fileNameRaw: nothing, extraFieldRaw: nothing, fileCommentRaw: nothing };
  return Object.assign(entry, bytes, { fileName: '', fileComment: '', comment: '', extraFields: [] });
}

const nothing = Buffer.alloc(0);

/** The upper half of the attributes is the Unix mode. It is zero for entries from other systems. */
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
      return 'a folder whose name does not end in a slash';
    default:
      return 'a device';
  }
}

/**
 * Checks that no entries follow. Their number is stored separately, and one that is too low would lose files silently.
 */
async function assertEnd(spoolFile: SpoolFile, at: number): Promise<void> {
  const next = await spoolFile.at(at, 4);
  if (next.toString('latin1') === 'PK\x01\x02') broken('contains more files than it declares');
}
