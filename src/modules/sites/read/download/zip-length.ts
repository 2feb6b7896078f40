const most16 = 0xffff;
const most32 = 0xffffffff;

/**
 * Returns the length in bytes of a zip written by yazl, with uncompressed contents followed by their checksums
 * (APPNOTE.TXT 4.3). The length that yazl computes is 76 bytes too large if the central directory has at least 65,535
 * bytes, as it does with about a thousand files (3.3.1: `calculateTotalSize` counts a ZIP64 end record that is not
 * written).
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
