import type {
  CertificateAuthority,
  DeviceCertificate,
} from '@grove/contract/maple/connect/certificate-authority'
import {
  serialPattern,
  shownCertificates,
} from '@grove/contract/maple/connect/certificate-authority.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import { refreshAuthorities, revokeSerial } from '../certificate/certificate.api.ts'
import { CertificateEnds } from '../certificate/certificate-ends.tsx'
import { RevokeCertificate } from '../certificate/revoke-certificate.tsx'
import { certificatesQuery } from './authority.api.ts'
import styles from './product.page.module.css'

interface CertificatesProps {
  authority: CertificateAuthority
  onClose: () => void
}

/** The certificates that an authority's devices have connected with, and the revoked ones. */
export function Certificates({ authority, onClose }: CertificatesProps) {
  const { t } = useLingui()
  const { id, name } = authority
  const { data, error, refetch } = useQuery(certificatesQuery(id))
  const [isRevoking, setRevoking] = useState(false)
  const items = data?.items ?? []
  if (isRevoking) return <RevokeSerial authority={authority} onClose={() => setRevoking(false)} />
  return (
    <Dialog
      title={t`Certificates of “${name}”`}
      subtitle={t`Certificates that devices have connected with, and revoked ones.`}
      size="content"
      closeLabel={t`Close`}
      onClose={onClose}
    >
      {error && !data && <PartFailure error={error} refetch={refetch} />}
      {data && items.length === 0 && (
        <p className="muted">
          <Trans>No device has connected with a certificate of this authority.</Trans>
        </p>
      )}
      <Rows aria-label={t`Certificates`}>
        {items.map((each) => (
          <Certificate key={`${each.serial} ${each.deviceId}`} of={id} certificate={each} />
        ))}
      </Rows>
      {items.length >= shownCertificates && (
        <p className="muted">
          <Trans>The newest {shownCertificates} are shown.</Trans>
        </p>
      )}
      <button type="button" className={`button ${styles.after}`} onClick={() => setRevoking(true)}>
        <Trans>Revoke by serial number…</Trans>
      </button>
    </Dialog>
  )
}

function Certificate({ of: id, certificate }: { of: string; certificate: DeviceCertificate }) {
  const { serial, deviceId, validTo, revokedAt } = certificate
  return (
    <li>
      <div>
        <code>{serial}</code>
        <p className="muted">
          {deviceId === null ? (
            <Trans>No device used it</Trans>
          ) : (
            <Link to="/dashboard/maple/devices/$deviceId" params={{ deviceId }} preload={false}>
              <bdi>{deviceId}</bdi>
            </Link>
          )}
          <CertificateEnds validTo={validTo} revokedAt={revokedAt} />
        </p>
      </div>
      <RevokeCertificate authorityId={id} serial={serial} isRevoked={revokedAt !== null} />
    </li>
  )
}

function RevokeSerial({ authority: { id }, onClose }: CertificatesProps) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={t`Revoke a certificate`}
      submitLabel={t`Revoke`}
      fields={{
        serial: {
          ...codeField,
          label: t`Serial number`,
          hint: t`In hex, as printed by openssl x509 -noout -serial. The revocation is permanent.`,
          problemOf: (text) =>
            new RegExp(serialPattern).test(text.trim())
              ? undefined
              : t`Enter a serial number in hex, such as 3A01FF.`,
        },
      }}
      form={{
        values: { serial: '' },
        submit: ({ serial }) => revokeSerial(id, serial.trim()),
      }}
      done={() => t`The certificate is revoked.`}
      refresh={refreshAuthorities}
      onClose={onClose}
    />
  )
}
