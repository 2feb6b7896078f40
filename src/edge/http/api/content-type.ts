import { contentType as typeOf } from 'mime-types';

/** Returns the media type for a file extension, with `charset=utf-8` for text. The media type is never stored. */
export function contentType(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return (dot >= 0 && typeOf(name.slice(dot))) || 'application/octet-stream';
}
