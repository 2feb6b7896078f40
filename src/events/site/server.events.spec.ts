import { describe } from '@jest/globals';
import { storedEventContract } from '../../../test/support/events/stored-event.contract.js';
import { serverEvents } from './server.events.js';

describe('Site server events', () => {
  storedEventContract(serverEvents, {
    SiteServerCrashed: [{ deployId: 'dep_1', reason: 'It ended with exit code 1.' }],
  });
});
