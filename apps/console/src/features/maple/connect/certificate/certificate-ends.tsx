import { Trans } from '@lingui/react/macro'
import { DateText } from '../../../../ui/i18n/date-text.tsx'

interface CertificateEndsProps {
  /** Null for one that no device has presented. */
  validTo: string | null
  revokedAt: string | null
}

/** When a certificate expires, and when it was revoked: parts of a line. */
export const CertificateEnds = ({ validTo, revokedAt }: CertificateEndsProps) => (
  <>
    {validTo !== null && (
      <>
        {' · '}
        <Trans>
          until <DateText value={validTo} />
        </Trans>
      </>
    )}
    {revokedAt !== null && (
      <>
        {' · '}
        <Trans>
          revoked <DateText value={revokedAt} />
        </Trans>
      </>
    )}
  </>
)
