import { createApi } from '../api/create-api.ts'
import { auth } from './auth.ts'
import { takeFirstAnswer } from './first-call.ts'
import { services } from './services.ts'

/** The services of this stage, called with the session's token. */
export const api = createApi({
  fetch: async (input, init) => (await takeFirstAnswer(input, init)) ?? auth.fetch(input, init),
  services,
  authorization: {
    current: () => auth.getAuthorization(),
    renew: async () => ((await auth.refresh()) ? auth.getAuthorization() : null),
  },
})
