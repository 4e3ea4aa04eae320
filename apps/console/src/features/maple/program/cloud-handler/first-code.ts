import type { TriggerType } from '@grove/contract/maple/program/handler.rules'

const call = `// The host must be among the allowed hosts below.
const answer = fetch('https://api.example.com/in', {
  method: 'POST',
  // The id is the same at every attempt, so a receiver can tell repeats.
  headers: { 'idempotency-key': event.id },
  body: event,
})
if (!answer.ok) throw new Error('The receiver answered ' + answer.status)
`

/** What the code of a new handler begins as. */
export const firstCode: Record<TriggerType, string> = {
  event: `log(event.type, event.at)

${call}`,
  schedule: `log('Due at', event.at)

${call}`,
  webhook: `log('Received', event.body)
`,
}
