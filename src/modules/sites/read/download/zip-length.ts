const most16 = 0xffff;
const most32 = 0xffffffff;

/**
 * How long a zip of these files is, in bytes, as yazl writes it when contents are stored as they are and their
 * checksums follow them (APPNOTE.TXT 4.3). yazl’s own answer is 76 too many once the central directory has 65,535
 * bytes (3.3.1: `calculateTotalSize` counts a ZIP64 end that is not written), which is where a thousand files are.
 */
export function zipLength(files: Iterable<{ readonly path: string; readonly size: number }>): number {
  let contents = 0;
  let directory = 0;
  let count = 0;
  for (const { path, size } of files) {
    const name = Buffer.byteLength(path);
    const isZip64 = size >= most32 || contents >= most32;
    contents += 30 + name + size + (isZip64 ? 24 : 16);
    directory += 46 + name + 9 + (isZip64 ? 28 : 0);
    count++;
  }
  const endsInZip64 = count >= most16 || directory >= most32 || contents >= most32;
  return contents + directory + 22 + (endsInZip64 ? 76 : 0);
}
