import { Trans } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { auth } from '../../session/auth.ts'
import type { Broker, useSignInMethods } from '../../session/sign-in-methods.ts'

interface AlternativeMethodsProps {
  methods: ReturnType<typeof useSignInMethods>
  from: string | undefined
  /** Offline, or another attempt is in progress. */
  isBlocked: boolean
  onBroker: (broker: Broker) => void
}

/**
 * The ways to sign in without a password. They appear last, once the service has named them, so
 * nothing shifts.
 */
export function AlternativeMethods({
  methods,
  from,
  isBlocked,
  onBroker,
}: AlternativeMethodsProps) {
  const router = useRouter()
  const { isKnown, offers, realm } = methods
  const brokers = offers('external') ? methods.brokers : []
  const isGuestWelcome = offers('anonymous')
  if (!isKnown || (brokers.length === 0 && !isGuestWelcome)) return null
  // A guest returns to the remembered visit only if it needs no sign-in.
  const publicPage = from && !from.startsWith('/dashboard') ? from : '/'
  const onGuest = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    // Requested before the page that needs it loads.
    void auth.getAnonymousAuthorization()
    router.history.push(publicPage)
  }
  return (
    <>
      <span className="or">
        <Trans>or</Trans>
      </span>
      {brokers.map((broker) => (
        <button
          key={broker.id}
          type="button"
          className="button wide"
          aria-disabled={isBlocked}
          onClick={() => isBlocked || onBroker(broker)}
        >
          {broker.id === '' ? (
            <Trans>Continue with single sign-on ({realm})</Trans>
          ) : (
            <Trans>Continue with {broker.name}</Trans>
          )}
        </button>
      ))}
      {isGuestWelcome && (
        <a href={publicPage} className="button quiet wide" onClick={onGuest}>
          <Trans>Continue as guest</Trans>
        </a>
      )}
    </>
  )
}
