import { useLingui } from '@lingui/react/macro'
import type { CodeName } from '../code/code-api.ts'

/** What the code of a handler has: the names that the editor completes. */
export function useHandlerNames(): CodeName[] {
  const { t } = useLingui()
  const answer = '{ status, ok, headers, body, text(), json() }'
  const ofEvent = (name: string, text: string): CodeName => ({
    name,
    of: 'event',
    type: 'property',
    text,
  })
  const option = (name: string, text: string): CodeName => ({
    name,
    of: 'answer',
    type: 'property',
    text,
  })
  return [
    { name: 'event', type: 'constant', text: t`What happened.` },
    ofEvent('id', t`The id of the delivery, the same at every attempt.`),
    ofEvent('type', t`The name of the event, such as device.online, or schedule or webhook.`),
    ofEvent('attempt', t`The number of this attempt, from 1.`),
    ofEvent('isTest', t`Whether somebody tests the draft.`),
    ofEvent('at', t`When it happened, as an ISO 8601 time in UTC.`),
    ofEvent('device', t`Of messages, and of devices that come and go: id, name and type.`),
    ofEvent('kind', t`Of device.message: the kind that the device gave the message.`),
    ofEvent('data', t`Of device.message: what the device said.`),
    ofEvent('cron', t`Of a schedule: its five fields; the time zone is event.zone.`),
    ofEvent('subject', t`Of other events: the id of the object that changed.`),
    ofEvent('actor', t`Of other events: the id of the account that changed it.`),
    ofEvent('before', t`Of other events: the object before the change.`),
    ofEvent('after', t`Of other events: the object after the change.`),
    ofEvent('body', t`Of a webhook: the body, from JSON where it is JSON.`),
    ofEvent('headers', t`Of a webhook: its headers, by lower-case names.`),
    {
      name: 'fetch',
      signature: `(url, { method, headers, body }?) → ${answer}`,
      text: t`Sends a request to an allowed host and waits for the answer. An object as body is sent as JSON.`,
    },
    option('status', t`The HTTP status of the answer.`),
    option('ok', t`Whether the status is from 200 to 299.`),
    option('headers', t`Headers by lower-case names.`),
    option('body', t`The body as text.`),
    { name: 'json', of: 'answer', signature: '() → value', text: t`Reads the body as JSON.` },
    { name: 'text', of: 'answer', signature: '() → string', text: t`The body as text.` },
    {
      name: 'secret',
      signature: '(name) → handle',
      text: t`A handle of a secret for headers. The code cannot read the value.`,
    },
    { name: 'log', signature: '(…values)', text: t`Writes a line to the log of the run.` },
  ]
}
