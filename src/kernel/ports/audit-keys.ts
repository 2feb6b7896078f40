/** A public key as it is published: a JSON Web Key (RFC 7517) for Ed25519 (RFC 8037). */
export type AuditKey = {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** The 32 bytes of the key, base64url. */
  readonly x: string;
  /** Its thumbprint (RFC 7638), which anybody can compute again. */
  readonly kid: string;
  readonly use: 'sig';
  /** RFC 3339. */
  readonly madeAt: string;
  /** Since when another key signs; null for the one in force. */
  readonly retiredAt: string | null;
};

export type Signed = {
  /** Base64url. */
  readonly signature: string;
  readonly key: AuditKey;
};

/** The keys that checkpoints of histories are signed with. Every process on one log has the same ones. */
export abstract class AuditKeys {
  /** Signs the UTF-8 bytes of a text with the key in force. */
  abstract sign(text: string): Promise<Signed>;

  /** Every key that was ever in force, the newest first: what an older one signed can still be checked. */
  abstract published(): Promise<readonly AuditKey[]>;
}
