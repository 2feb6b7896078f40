/** Signed envelope (DSSE 1.0, github.com/secure-systems-lab/dsse, envelope.md). */
export type DsseEnvelope = {
  readonly payloadType: string;
  /** Payload in base64. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
};

/** Signs the UTF-8 bytes of a string. */
export type Sign = (text: string) => Promise<{ readonly signature: string; readonly key: { readonly kid: string } }>;

/**
 * Returns the bytes to sign, in which a payload can't be mistaken for its type or vice versa (DSSE 1.0, protocol.md:
 * PAE).
 */
export const preAuthEncoding = (payloadType: string, payload: string) =>
  `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${Buffer.byteLength(payload)} ${payload}`;

/** Creates an envelope. `sign` returns base64url; the envelope contains base64, which all verifiers can read. */
export async function signedEnvelope(payloadType: string, payload: string, sign: Sign): Promise<DsseEnvelope> {
  const { signature, key } = await sign(preAuthEncoding(payloadType, payload));
  const sig = Buffer.from(signature, 'base64url').toString('base64');
  return { payloadType, payload: Buffer.from(payload).toString('base64'), signatures: [{ keyid: key.kid, sig }] };
}
