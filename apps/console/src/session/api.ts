import { isAdmin } from '@grove/auth-client/rules'
import { createApi } from '../api/create-api.ts'
import { auth } from './auth.ts'
import { takeFirstAnswer } from './first-call.ts'
import { foreignReader } from './foreign-reader.ts'
import { services } from './services.ts'
import { worksInStage } from './stage-page.ts'

/**
 * Whether a call names the stage it works in. A developer only has rights in Maple there; an
 * administrator works everywhere, except on the pages of a stage that they chose.
 */
function needsStage(input: string): boolean {
  const isMaple = new URL(input, location.href).pathname.startsWith('/api/maple/')
  const state = auth.getState()
  if (!isMaple || state.status === 'signedOut') return false
  return !isAdmin(state.session.roles) || worksInStage(location.pathname)
}

type StagedInit = RequestInit & { headers?: Record<string, string> }

const staged = async <Init extends RequestInit>(input: string, init: Init): Promise<Init> =>
  needsStage(input) ? (await import('./stage-header.ts')).withStage(init) : init

/** The services of this stage, called with the session's token. */
export const api = createApi({
  fetch: async (input, init) =>
    (await takeFirstAnswer(input, init)) ??
    (needsStage(input)
      ? (await import('./stage-header.ts')).fetchInStage(input, init)
      : auth.fetch(input, init)),
  services,
  headers: async (input) => (await staged<StagedInit>(input, {})).headers ?? {},
  foreign: foreignReader,
  authorization: {
    current: () => auth.getAuthorization(),
    renew: async () => ((await auth.refresh()) ? auth.getAuthorization() : null),
  },
})
