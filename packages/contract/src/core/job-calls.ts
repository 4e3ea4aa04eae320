import { jobCallsOf } from './job.ts'

/** The jobs of every service, by the same calls. */
export const jobCalls = {
  ...jobCallsOf('auth'),
  ...jobCallsOf('cedar'),
  ...jobCallsOf('maple', {
    read: { right: 'job.read', isScoped: true },
    change: { right: 'job.change', isScoped: true },
  }),
}
