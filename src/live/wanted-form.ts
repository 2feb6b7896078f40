export type Form = 'eventStream' | 'lines' | 'page';

const forms: Readonly<Record<string, Form>> = {
  'text/event-stream': 'eventStream',
  'application/x-ndjson': 'lines',
  'application/json': 'page',
};

/** Which form `Accept` prefers (RFC 9110 section 12.5.1); an event stream for those who take anything. */
export function wantedForm(accept: string | undefined): Form {
  let best: Form = 'eventStream';
  let quality = 0;
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const form = forms[type];
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    if (!form || !(weight > quality)) continue;
    best = form;
    quality = weight;
  }
  return best;
}
