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

/** What a service that announces nothing has by the specification. */
const specified: readonly Method[] = ['password', 'signUp', 'external', 'anonymous']

export interface Broker {
  /** '' is the service's own login, which has no name. */
  id: string
  name: string
}

const isOffered = (info: ExternalLoginInfo | undefined, method: Method) =>
  (info?.methods ?? specified).includes(method)

/** As `offers`, for a form that may be sent before the service has told. Never rejects. */
export async function hasMethod(queryClient: QueryClient, method: Method): Promise<boolean> {
  const info = await queryClient.ensureQueryData(infoQuery).catch(() => undefined)
  return isOffered(info, method)
}

/** How people may sign in at this stage; what the specification gives until the service has told. */
export function useSignInMethods() {
  const { data: info, failureCount } = useQuery(infoQuery)
  return {
    /** The service has told, or did not answer at first: nothing more has to be waited for. */
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
