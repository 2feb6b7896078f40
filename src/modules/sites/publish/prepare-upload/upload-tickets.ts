import { open, seal } from '../../../../accounts/keys/sealed.js';
import type { Caller } from '../../../../kernel/command-context.js';
import type { JobRight } from '../../../../kernel/rights/job-right.js';

/** A deploy that a caller prepared and was allowed to make. Any client with its ticket can upload the content. */
export type PreparedUpload = {
  /** Identifies the only deploy that the ticket can make. */
  readonly id: string;
  readonly caller: Caller;
  /**
   * The site, and the caller's right to deploy it. The ticket is no longer valid when this right ends. Null for a new
   * site.
   */
  readonly site: { readonly siteId: string; readonly right: JobRight } | null;
  /** When the ticket expires, as an RFC 3339 timestamp. */
  readonly expiresAt: string;
  readonly query: Readonly<Record<string, string>>;
  readonly ifRevision: number | null;
};

const PURPOSE = 'stele upload ticket';

/**
 * Creates and opens tickets. A ticket contains the permitted deploy, encrypted with the root key, so that only the
 * service can read it.
 */
export class UploadTickets {
  constructor(private readonly rootKey: Buffer) {}

  seal(upload: PreparedUpload): string {
    return seal(PURPOSE, this.rootKey, upload).toString('base64url');
  }

  /** Opens a ticket. Returns null if it was not sealed by this service or has expired at that time. */
  open(ticket: string, at: string): PreparedUpload | null {
    const bytes = Buffer.from(ticket, 'base64url');
    if (bytes.length < 29) return null;
    try {
      const upload = open(PURPOSE, this.rootKey, bytes) as PreparedUpload;
      return upload.expiresAt > at ? upload : null;
    } catch {
      return null;
    }
  }
}
