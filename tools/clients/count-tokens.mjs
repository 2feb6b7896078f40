// `node count-tokens.mjs FILE` prints the number of tokens (o200k_base) in a file.
import { readFile } from 'node:fs/promises';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

console.log(encode(await readFile(process.argv[2], 'utf8')).length);
