import { Trans, useLingui } from '@lingui/react/macro'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { tooltip } from '../../../../ui/kit/tooltip.ts'
import { refreshAuthorities, revokeSerial } from './certificate.api.ts'

interface RevokeCertificateProps {
  authorityId: string
  serial: string
  isRevoked: boolean
}

export function RevokeCertificate({ authorityId, serial, isRevoked }: RevokeCertificateProps) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const revoke = () =>
    confirmed({
      question: {
        title: t`Revoke ${serial}?`,
        text: t`The device is disconnected within seconds, and cannot connect with this certificate any more. This cannot be undone.`,
        action: t`Revoke`,
        isDanger: true,
      },
      change: () => revokeSerial(authorityId, serial),
      done: () => t`The certificate is revoked.`,
      refresh: refreshAuthorities,
    })
  return (
    <button
      type="button"
      className="button small"
      aria-label={t`Revoke ${serial}…`}
      aria-disabled={isRevoked}
      {...tooltip(isRevoked ? t`It is revoked.` : undefined)}
      onClick={() => !isRevoked && void revoke()}
    >
      <Trans>Revoke…</Trans>
    </button>
  )
}
