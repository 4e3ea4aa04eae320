import type { CertificateOfDevice } from '@grove/contract/maple/connect/certificate-authority'
import { shownCertificates } from '@grove/contract/maple/connect/certificate-authority.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { StateBadge } from '../../../../ui/text/state-badge.tsx'
import { CertificateEnds } from '../certificate/certificate-ends.tsx'
import { certificatePath, liveMs } from '../certificate/certificate.api.ts'
import { useRefusalWords } from '../certificate/refusal-words.ts'
import { RevokeCertificate } from '../certificate/revoke-certificate.tsx'

const certificatesOf = (deviceId: string) =>
  queryOptions({
    ...api.maple.query(certificatePath, { query: { deviceId } }),
    refetchInterval: liveMs,
  })

/** The certificates that a device has connected with, besides its secrets. */
export function Certificates({ deviceId }: { deviceId: string }) {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(certificatesOf(deviceId))
  const items = data?.items ?? []
  return (
    <>
      {error && !data && <PartFailure error={error} refetch={refetch} />}
      {data && items.length === 0 && (
        <p className="muted">
          <Trans>None yet. A certificate is listed after the device first connects with it.</Trans>
        </p>
      )}
      <Rows aria-label={t`Certificates`}>
        {items.map((each) => (
          <Certificate key={`${each.authorityId} ${each.serial}`} certificate={each} />
        ))}
      </Rows>
      {items.length >= shownCertificates && (
        <p className="muted">
          <Trans>The newest {shownCertificates} are shown.</Trans>
        </p>
      )}
    </>
  )
}

function Certificate({ certificate }: { certificate: CertificateOfDevice }) {
  const { authority, authorityId, serial, usedAt, validTo, revokedAt } = certificate
  return (
    <li>
      <div>
        <CopyableId value={serial} /> <State certificate={certificate} />
        <p className="muted">
          <Trans>
            signed by <bdi>{authority}</bdi>
          </Trans>
          {' · '}
          <Trans>
            first used <DateText value={usedAt} />
          </Trans>
          <CertificateEnds validTo={validTo} revokedAt={revokedAt} />
        </p>
      </div>
      <RevokeCertificate authorityId={authorityId} serial={serial} isRevoked={revokedAt !== null} />
    </li>
  )
}

/** Whether the device can currently connect with it, and why not. */
function State({ certificate: { refusal, revokedAt } }: { certificate: CertificateOfDevice }) {
  const { t } = useLingui()
  const reasons = useRefusalWords()
  if (revokedAt !== null)
    return <StateBadge kind="ended" text={t({ message: 'Revoked', context: 'a certificate' })} />
  if (refusal === null)
    return <StateBadge kind="good" text={t({ message: 'Valid', context: 'a certificate' })} />
  if (refusal === 'expired')
    return <StateBadge kind="ended" text={t({ message: 'Expired', context: 'a certificate' })} />
  return (
    <>
      <StateBadge kind="warning" text={t({ message: 'Refused', context: 'a certificate' })} />{' '}
      {reasons[refusal]}
    </>
  )
}
