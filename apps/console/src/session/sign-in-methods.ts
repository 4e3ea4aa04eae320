import type { ExternalLoginInfo } from '@grove/auth-client'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { infoQuery } from './session.ts'

type Method =
  | 'password'
  | 'signUp'
  | 'external'
  | 'anonymous'
  | 'emailValidation'
  | 'passwordReset'
  | 'account'

/** The defaults of the specification, for a service that announces nothing. */
const specified: readonly Method[] = ['password', 'signUp', 'external', 'anonymous']

export interface Broker {
  /** '' is the service's own login, which has no name. */
  id: string
  name: string
}

const isOffered = (info: ExternalLoginInfo | undefined, method: Method) =>
  (info?.methods ?? specified).includes(method)

/** Like `offers`, for a form that may be submitted before the service has answered. Never rejects. */
export async function hasMethod(queryClient: QueryClient, method: Method): Promise<boolean> {
  const info = await queryClient.ensureQueryData(infoQuery).catch(() => undefined)
  return isOffered(info, method)
}

/** The sign-in methods of this stage; the specification's defaults until the service has answered. */
export function useSignInMethods() {
  const { data: info, failureCount } = useQuery(infoQuery)
  return {
    /** The service has answered or failed once: there is nothing left to wait for. */
    isKnown: info !== undefined || failureCount > 0,
    offers: (method: Method) => isOffered(info, method),
    brokers: brokersOf(info),
    realm: info?.realm,
  }
}

/** A service that announces none has one login of its own. */
function brokersOf(info: ExternalLoginInfo | undefined): readonly Broker[] {
  if (!info?.urls.login) return []
  return info.brokers ?? [{ id: '', name: '' }]
}
