import { describe, expect, it } from '@jest/globals';
import { explainOmission, omittedAs } from './omitted-files.js';

describe('Files that file managers and operating systems create', () => {
  it.each([
    'site/.DS_Store',
    'Thumbs.db',
    'img/desktop.ini',
    'ehthumbs.db',
    'Icon\r',
    'img/Icon\r',
    '.localized',
    '.directory',
    'a/._b',
    '__MACOSX/a',
    './__MACOSX/a/b',
    'site/__MACOSX/a',
    'site/.AppleDouble/index.html',
    '.Spotlight-V100/store.db',
    '.Trashes/501/a',
    '.fseventsd/0001',
    'photos/@eaDir/a.jpg/SYNOPHOTO_THUMB_M.jpg',
    '$RECYCLE.BIN/S-1-5/a',
    'System Volume Information/a',
    'index.html:Zone.Identifier',
    'index.html:Zone.Identifier:Zone.Identifier',
    'a.png\uf03aZone.Identifier',
  ])('the file %j is left out', (path) =>
    expect(explainOmission(path)).toEqual(expect.stringMatching(/is not published$/)),
  );

  it.each(['Icon', 'icon.png', 'icons/a', 'trashes/a', 'Zone.Identifier', 'eaDir/a', '_index.html', 'a/.well-known/b'])(
    'the file %j is published',
    (path) => expect(explainOmission(path)).toBeNull(),
  );

  it('a file in a system folder is reported as that folder', () => {
    expect(['./__MACOSX/a/b', 'x/@eaDir/a/b', 'x/.DS_Store'].map(omittedAs)).toEqual([
      '__MACOSX/',
      'x/@eaDir/',
      'x/.DS_Store',
    ]);
  });
});
