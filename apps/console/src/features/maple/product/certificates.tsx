import type { CertificateAuthority, DeviceCertificate } from '@grove/contract'
import { serialPattern, shownCertificates } from '@grove/contract/maple/certificate-authority.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { checkFields, codeField, Fields, type FormFields } from '../../../ui/form/fields.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { Rows } from '../../../ui/page/rows.tsx'
import { authorityPath, certificatesQuery, refreshAuthorities } from './authority.api.ts'
import styles from './product.page.module.css'

interface CertificatesProps {
  authority: CertificateAuthority
  onClose: () => void
}

const revoke = (id: string, serial: string) =>
  api.maple.post(`${authorityPath}/{id}/revoked`, { params: { id }, body: { serial } })

/** The certificates that devices of an authority connected with, and those that were revoked. */
export function Certificates({ authority, onClose }: CertificatesProps) {
  const { t } = useLingui()
  const { id, name } = authority
  const { data } = useQuery(certificatesQuery(id))
  const [isRevoking, setRevoking] = useState(false)
  const items = data?.items ?? []
  if (isRevoking) return <RevokeSerial authority={authority} onClose={() => setRevoking(false)} />
  return (
    <Dialog
      title={t`Certificates of “${name}”`}
      subtitle={t`Those that devices connected with, and those that are revoked.`}
      size="content"
      closeLabel={t`Close`}
      onClose={onClose}
    >
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
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { serial, deviceId, validTo, revokedAt } = certificate
  const act = () =>
    confirmed({
      question: {
        title: t`Revoke ${serial}?`,
        text: t`The device is disconnected within seconds, and cannot connect with this certificate any more. This cannot be undone.`,
        action: t`Revoke`,
        isDanger: true,
      },
      change: () => revoke(id, serial),
      done: () => t`The certificate is revoked.`,
      refresh: refreshAuthorities,
    })
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
        </p>
      </div>
      {revokedAt === null && (
        <button
          type="button"
          className="button small"
          aria-label={t`Revoke ${serial}…`}
          onClick={() => void act()}
        >
          <Trans>Revoke…</Trans>
        </button>
      )}
    </li>
  )
}

function RevokeSerial({ authority: { id }, onClose }: CertificatesProps) {
  const { t } = useLingui()
  const fields = {
    serial: {
      ...codeField,
      label: t`Serial number`,
      hint: t`In hex, as openssl x509 -noout -serial shows it. The certificate stays revoked.`,
      problemOf: (text) =>
        new RegExp(serialPattern).test(text.trim())
          ? undefined
          : t`Enter a serial number in hex, such as 3A01FF.`,
    },
  } satisfies FormFields<{ serial: string }>
  const form = useForm({
    values: { serial: '' },
    check: (values) => checkFields(fields, values),
    submit: ({ serial }) => revoke(id, serial.trim()),
    onSaved: () => {
      notify({ text: t`The certificate is revoked.` })
      void refreshAuthorities()
      onClose()
    },
    isOnce: true,
  })
  return (
    <FormDialog
      title={t`Revoke a certificate`}
      form={form}
      submitLabel={t`Revoke`}
      onClose={onClose}
    >
      <Fields form={form} fields={fields} />
    </FormDialog>
  )
}
