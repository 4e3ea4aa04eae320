import { Trans } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { auth } from '../../session/auth.ts'
import type { Broker, useSignInMethods } from '../../session/sign-in-methods.ts'

interface AlternativeMethodsProps {
  methods: ReturnType<typeof useSignInMethods>
  from: string | undefined
  /** What is being attempted. */
  running: string | undefined
  isOffline: boolean
  onBroker: (broker: Broker) => void
}

/** The ways in without a password. They come when the service has told, below all else: nothing moves. */
export function AlternativeMethods({
  methods,
  from,
  running,
  isOffline,
  onBroker,
}: AlternativeMethodsProps) {
  const router = useRouter()
  const { isKnown, offers, realm } = methods
  const brokers = offers('external') ? methods.brokers : []
  const isGuestWelcome = offers('anonymous')
  if (!isKnown || (brokers.length === 0 && !isGuestWelcome)) return null
  // A guest returns to the visit that was remembered only where it needs no sign-in.
  const publicPage = from && !from.startsWith('/dashboard') ? from : '/'
  const onGuest = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    // On its way before the page that needs it.
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
          aria-disabled={isOffline || running !== undefined}
          onClick={() => isOffline || onBroker(broker)}
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
