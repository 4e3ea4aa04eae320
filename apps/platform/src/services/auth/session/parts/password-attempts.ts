import type { AnyActor } from '../../../../core/actor.ts'
import type { AuthContext } from '../../context.ts'
import { isKnownNetwork } from '../../account/account.queries.ts'
import {
  signInsAtHome,
  signInsOfAccount,
  signInsOfAccountInNetwork,
  signInsOfNetwork,
} from '../../throttle/limits.ts'
import { networkOf } from '../../../../core/http/network.ts'
import { takeAttempt, takeNetworkAttempt, type Attempt } from '../../throttle/throttle.ts'

/**
 * Counts an attempt at an account's password, wherever one is required. The returned function gives
 * the attempt back if the password was right.
 *
 * In this order, each only if the previous one passes: one network must not exhaust what an account
 * has for all networks. Keyed by the input, so unknown accounts are limited too.
 */
export async function takePasswordAttempts(
  context: AuthContext,
  { origin }: AnyActor,
  email: string,
): Promise<Attempt> {
  const now = context.now()
  const { ip } = origin
  const network = networkOf(ip)
  const attempts = [
    await takeNetworkAttempt(context.db, signInsOfNetwork, ip, now),
    await takeAttempt(context.db, signInsOfAccountInNetwork, `${email} ${network}`, now),
  ]
  const isKnown = await isKnownNetwork(context.db, email, network)
  attempts.push(
    await takeAttempt(context.db, isKnown ? signInsAtHome : signInsOfAccount, email, now),
  )
  return async () => {
    for (const giveBack of attempts) await giveBack()
  }
}
