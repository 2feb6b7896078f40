/** Where a terminal's wish to act for somebody stands: nobody has answered yet, somebody has, or it was taken up. */
export type TerminalSignInState = 'asked' | 'approved' | 'denied' | 'used';

/** Who asks, as far as it can be told. */
export type TerminalRequester = {
  /** IP address. */
  readonly address: string;
  /** How the program calls itself; null when it does not say. */
  readonly client: string | null;
};

export type TerminalSignIn = {
  readonly state: TerminalSignInState;
  readonly requester: TerminalRequester;
  /** What both the terminal and the page show; null where a browser carries the answer back by itself. */
  readonly userCode: string | null;
  /** Where the browser takes the answer; null for a ticket, which the terminal asks about. */
  readonly destination: string | null;
  /** Who answered. */
  readonly userId: string | null;
  /** RFC 3339. */
  readonly expiresAt: string;
};

export type NewTerminalSignIn = {
  /** Hash of what the address of its page has. */
  readonly pageHash: string;
  /** Hash of the code or the ticket that the terminal shows. */
  readonly secretHash: string;
  /** Of the verifier that the terminal keeps (RFC 7636, S256). */
  readonly challenge: string;
  readonly requester: TerminalRequester;
  readonly seconds: number;
};

export type TerminalAnswer = { readonly userId: string; readonly approved: boolean };

/** What a terminal is told that shows its code or ticket with the right verifier. */
export type TerminalExchange =
  | { readonly kind: 'approved'; readonly userId: string }
  | { readonly kind: 'denied' }
  /** Nobody has answered yet. `early`: it asks far more often than it was told to. */
  | { readonly kind: 'pending'; readonly early: boolean };

/**
 * Terminals that ask to act for somebody (docs/interface.md, "Sign-in from a terminal"), for minutes. Of codes, tickets
 * and addresses of pages only hashes are kept: a copy of the database signs no terminal in.
 */
export abstract class TerminalSignIns {
  /** A ticket, which nobody has answered yet. */
  abstract open(asked: NewTerminalSignIn, userCode: string): Promise<{ readonly expiresAt: string }>;

  /** A code for a terminal that waits at an address of the person's own machine: kept as it was answered. */
  abstract answered(asked: NewTerminalSignIn, destination: string, answer: TerminalAnswer): Promise<void>;

  /** Answers a ticket; false when it is unknown, over, or was answered before. Of any number at once one is the answer. */
  abstract answer(pageHash: string, answer: TerminalAnswer): Promise<boolean>;

  /** Null when it is unknown or over. */
  abstract find(pageHash: string): Promise<TerminalSignIn | null>;

  /**
   * What became of it, for whoever has the verifier. An approved one is used up by this: of any number at once one gets
   * it. Null when it is unknown, used or over, or when the verifier is another's; that changes nothing.
   *
   * @param pollMs a pending one that is asked about sooner than this is told that it is early
   */
  abstract exchange(secretHash: string, challenge: string, pollMs: number): Promise<TerminalExchange | null>;
}
