import type { Origin } from '../../../core/http/add-call.ts'
import { isKnownNetwork } from '../account/account.queries.ts'
import type { Auth } from '../auth.ts'
import {
  signInsOfAccount,
  signInsOfAccountInNetwork,
  signInsOfNetwork,
} from '../throttle/limits.ts'
import { networkOf } from '../throttle/network.ts'
import { takeAttempt, type Attempt } from '../throttle/throttle.ts'

/**
 * Counts an attempt at an account's password, wherever one is asked for, and answers what gives it
 * back when the password was right.
 *
 * In this order, each only when the one before allows it: one network must not use up what an
 * account has for all networks. Keyed by what was typed, so an unknown account is limited alike.
 */
export async function takePasswordAttempts(
  auth: Auth,
  email: string,
  origin: Origin,
): Promise<Attempt> {
  const now = auth.now()
  const network = networkOf(origin.ip)
  const attempts = [
    await takeAttempt(auth.db, signInsOfNetwork, network, now),
    await takeAttempt(auth.db, signInsOfAccountInNetwork, `${email} ${network}`, now),
  ]
  if (!(await isKnownNetwork(auth.db, email, network)))
    attempts.push(await takeAttempt(auth.db, signInsOfAccount, email, now))
  return async () => {
    for (const giveBack of attempts) await giveBack()
  }
}
