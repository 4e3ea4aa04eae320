import { useLingui } from '@lingui/react/macro'
import type { CodeName } from '../code/code-api.ts'

/** The names available to a handler's code, for completion in the editor. */
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
    ofEvent('id', t`The ID of the delivery, the same at every attempt.`),
    ofEvent('type', t`The name of the event, such as device.online, or schedule or webhook.`),
    ofEvent('attempt', t`The number of this attempt, starting at 1.`),
    ofEvent('isTest', t`Whether this is a test of the draft.`),
    ofEvent('at', t`When it happened, as an ISO 8601 time in UTC.`),
    ofEvent('device', t`Messages and connection events: the device’s id, name and type.`),
    ofEvent('kind', t`device.message: the kind that the device gave the message.`),
    ofEvent('data', t`device.message: the contents of the message.`),
    ofEvent('cron', t`Schedules: the five fields; the time zone is event.zone.`),
    ofEvent('subject', t`Other events: the ID of the changed object.`),
    ofEvent('actor', t`Other events: the ID of the account that made the change.`),
    ofEvent('before', t`Other events: the object before the change.`),
    ofEvent('after', t`Other events: the object after the change.`),
    ofEvent('body', t`Webhooks: the body, parsed if it is JSON.`),
    ofEvent('headers', t`Webhooks: the headers, by lower-case names.`),
    {
      name: 'fetch',
      signature: `(url, { method, headers, body }?) → ${answer}`,
      text: t`Sends a request to an allowed host and waits for the response. An object as body is sent as JSON.`,
    },
    option('status', t`The HTTP status of the response.`),
    option('ok', t`Whether the status is from 200 to 299.`),
    option('headers', t`Headers by lower-case names.`),
    option('body', t`The body as text.`),
    { name: 'json', of: 'answer', signature: '() → value', text: t`Parses the body as JSON.` },
    { name: 'text', of: 'answer', signature: '() → string', text: t`The body as text.` },
    {
      name: 'secret',
      signature: '(name) → handle',
      text: t`A handle to a secret for headers. The code cannot read the value.`,
    },
    { name: 'log', signature: '(…values)', text: t`Writes a line to the log of the run.` },
  ]
}
