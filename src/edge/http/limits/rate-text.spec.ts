import { expect, it } from '@jest/globals';
import { byteRateText, rateText } from './rate-text.js';
import { rates } from './rates.js';

it('The message about a rate limit states the limit, its time window and what it applies to', () => {
  expect(rateText(rates.redeploys)).toBe('The limit is 60 requests per hour for each site.');
  expect(rateText(rates.signInMails)).toBe('The limit is 5 requests per 15 minutes for each email address.');
  expect(rateText(rates.tokenTries)).toBe('The limit is 10 failed attempts per minute for each IP address.');
  expect(byteRateText(rates.uploadBytes)).toBe('The limit is 20 GiB per day for each IP address.');
});
