import type { TriggerType } from '@grove/contract/maple/program/handler.rules'

const call = `// To call a service of yours, add its host to the allowed hosts below and remove the slashes.
// const answer = fetch('https://api.example.com/in', {
//   method: 'POST',
//   // The id is the same at every attempt, so a receiver can tell repeats.
//   headers: { 'idempotency-key': event.id },
//   body: event,
// })
// if (!answer.ok) throw new Error('The receiver answered ' + answer.status)
`

/** The initial code of a new handler, which runs unchanged. */
export const firstCode: Record<TriggerType, string> = {
  event: `log(event.type, event.device ? event.device.name : event.subject)

${call}`,
  schedule: `log('Due at', event.at)

${call}`,
  webhook: `log('Received', event.body)
`,
}
