import { services } from '../../session/services.ts'
import { createApi } from '../../api/create-api.ts'
import { NetworkProblem } from '../../api/problem.ts'
import { auth } from '../../session/auth.ts'
import { foreignReader } from '../../session/foreign-reader.ts'
import { isSignedIn } from '../../session/session.ts'

/** For public data: if nobody is signed in, or the session has just ended, the request is anonymous. */
export const publicApi = createApi({
  fetch: async (input, init) => {
    if (isSignedIn()) {
      const response = await auth.fetch(input, init)
      if (response.status !== 401) return response
    }
    const authorization = await auth.getAnonymousAuthorization()
    if (authorization === '') throw new NetworkProblem('There is no anonymous token')
    const send = (value: string) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', value)
      return auth.fetch(input, { ...init, headers })
    }
    const response = await send(authorization)
    if (response.status !== 401) return response
    const next = await auth.getAnonymousAuthorization({ refused: authorization })
    return next === '' ? response : send(next)
  },
  services,
  foreign: foreignReader,
})
