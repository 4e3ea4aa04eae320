import type { AuthError } from '../http/auth-error.ts'
import type { HttpResponse } from '../http/request.ts'
import type { SignInContext } from './sign-in-calls.ts'
import type { TokenService } from '../auth-service.ts'

/** Sends a sign-in and stores the session in the response; false if there is none. */
export type Begin = (send: () => Promise<HttpResponse>) => Promise<boolean>

/** Rejects with the server's body if there was one, otherwise with the error. */
export const rejectWith =
  (choice?: 'body' | 'error') =>
  (error: unknown): never => {
    const { body } = error as AuthError
    throw choice !== 'error' && body ? body : error
  }

export function createBegin(context: SignInContext<TokenService>): Begin {
  const { service, store } = context
  return async (send) => {
    const signOutsBefore = context.countSignOuts()
    const session = await service.receive(send).catch(rejectWith(context.rejectWith))
    // A sign-out during the call wins.
    if (session === null || context.countSignOuts() !== signOutsBefore) return false
    store.removeAt(store.anonymous)
    context.dispatch({ type: 'tokenReceived', session })
    if (context.verification) context.watch()
    return true
  }
}
