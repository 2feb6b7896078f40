/** Parses `12` or `#12`, which people write instead of a deploy ID. Returns null for other texts. */
export function parseDeployNumber(text: string): number | null {
  const digits = /^#?([1-9]\d{0,8})$/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}
