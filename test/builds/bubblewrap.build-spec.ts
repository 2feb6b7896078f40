import { Bubblewrap } from '../../src/builders/bubblewrap/bubblewrap.engine.js';
import { builderContract } from '../contracts/builder.contract.js';

builderContract('bubblewrap', () => new Bubblewrap());
