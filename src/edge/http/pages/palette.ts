/** Colours of all pages of the service. The contrast is at least 4.5 in both colour schemes. */
export const PALETTE = `:root{color-scheme:light dark;--text:#1c1b19;--soft:#5d5a54;--line:#d9d5cc;--ground:#faf9f6;--card:#fff;--accent:#8a3b12;--on-accent:#fff;--well:#2f6b3c;--failing:#b3261e}
@media(prefers-color-scheme:dark){:root{--text:#eceae4;--soft:#aaa69c;--line:#3a3833;--ground:#161513;--card:#201f1c;--accent:#f0a36b;--on-accent:#1c120a;--well:#7fc08d;--failing:#ff8a80}}
`;
