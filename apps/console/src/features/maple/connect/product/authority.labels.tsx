import type { CertificateAuthority } from '@grove/contract/maple/connect/certificate-authority'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

type AuthorityState = 'unproved' | 'inUse' | 'disabled' | 'expired'

const stateOf = (
  { challenge, isEnabled, validTo }: CertificateAuthority,
  now: number,
): AuthorityState => {
  if (challenge !== null) return 'unproved'
  if (!isEnabled) return 'disabled'
  return Date.parse(validTo) <= now ? 'expired' : 'inUse'
}

const kinds: Record<AuthorityState, StateKind> = {
  unproved: 'waiting',
  inUse: 'good',
  disabled: 'idle',
  expired: 'ended',
}

export function AuthorityStateBadge({
  authority,
  now,
}: {
  authority: CertificateAuthority
  now: number
}) {
  const { t } = useLingui()
  const state = stateOf(authority, now)
  const words: Record<AuthorityState, string> = {
    unproved: t({ message: 'Ownership not proved', context: 'a certificate authority' }),
    inUse: t({ message: 'In use', context: 'a certificate authority' }),
    disabled: t({ message: 'Disabled', context: 'a certificate authority' }),
    expired: t({ message: 'Expired', context: 'a certificate authority' }),
  }
  return <StateBadge kind={kinds[state]} text={words[state]} />
}

/** Its common name, if its certificate has one. */
export const nameOfAuthority = ({ subject }: CertificateAuthority): string =>
  /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')
