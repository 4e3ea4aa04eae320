import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ApiProblem } from '../api/problem.ts'
import { readTab, writeTab } from '../api/tab-storage.ts'
import { notifyNextPage } from '../ui/toast/notify.ts'

/** An identity that is linked once the account with its email signs in. */
export interface PendingLink {
  linkToken: string
  email: string
  /** The provider's display name. */
  broker: string
  /** Milliseconds since 1970. */
  expiresAt: number
}

const key = 'grove.link'

export const keepLink = (link: PendingLink) => writeTab(key, JSON.stringify(link))
export const dropLink = () => writeTab(key, undefined)

export function pendingLink(): PendingLink | undefined {
  const text = readTab(key)
  if (text === undefined) return undefined
  const link = JSON.parse(text) as PendingLink
  if (link.expiresAt > Date.now()) return link
  dropLink()
}

/** Links the pending identity to the account that has just signed in, and reports the result. */
export async function finishLink() {
  const link = pendingLink()
  if (!link) return
  const { broker, email, linkToken } = link
  try {
    const { api } = await import('./api.ts')
    await api.auth.post('/api/user/identity', { body: { linkToken } })
    dropLink()
    notifyNextPage(i18n._(msg`Linked: from now on you can also sign in with ${broker}.`))
  } catch (error) {
    const isRefused = error instanceof ApiProblem && error.status < 500 && error.status !== 429
    if (!isRefused) {
      notifyNextPage(
        i18n._(msg`${broker} could not be linked. Sign in with it again to link it.`),
        'failure',
      )
      return
    }
    dropLink()
    notifyNextPage(
      i18n._(
        msg`${broker} was not linked: you have to sign in to the account of ${email} within fifteen minutes.`,
      ),
      'failure',
    )
  }
}
