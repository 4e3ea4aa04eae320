import type { CertificateAuthority } from '@grove/contract/maple/connect/certificate-authority'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import {
  maxAuthorityNameLength,
  maxCertificateLength,
} from '@grove/contract/maple/connect/certificate-authority.rules'
import type { ClaimedState } from '@grove/contract/maple/connect/device-connection.rules'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { addProblemTexts } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { CodeArea } from '../../../../ui/field/code-area.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { checkFields, Fields, type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { authorityPath } from '../certificate/certificate.api.ts'
import { makeCommand } from './authority.api.ts'
import styles from './product.page.module.css'

addProblemTexts({
  notCertificate: msg`This is not a certificate in PEM.`,
  notAuthority: msg`This is not a certificate of an authority: it must contain CA:TRUE and be allowed to sign certificates.`,
  weakKey: msg`Its key must be RSA with at least 2048 bits, or on P-256, P-384 or P-521.`,
  certificateExpired: msg`This certificate has expired.`,
})

interface Values {
  name: string
  certificate: string
  state: ClaimedState
  product: 'this' | 'none'
}

interface AddAuthorityProps {
  product: MapleProduct
  onMade: (authority: CertificateAuthority) => void
  onClose: () => void
}

/** Adds the certificate that signs those of devices. Its private key stays where it is. */
export function AddAuthority({ product, onMade, onClose }: AddAuthorityProps) {
  const { t } = useLingui()
  const fields = {
    name: useNameField(maxAuthorityNameLength, t`Such as the name of the factory`),
  } satisfies FormFields<Values>
  const form = useForm<Values, CertificateAuthority>({
    values: { name: '', certificate: '', state: 'quarantined', product: 'this' },
    check: (values) => ({
      ...checkFields(fields, values),
      certificate: values.certificate.includes('PRIVATE KEY')
        ? t`This is a private key. Paste only the certificate, and keep the key.`
        : values.certificate.includes('BEGIN CERTIFICATE')
          ? undefined
          : t`Paste a certificate that begins with -----BEGIN CERTIFICATE-----.`,
    }),
    submit: ({ name, certificate, state, product: whose }) =>
      api.maple.post(authorityPath, {
        body: {
          name,
          certificate,
          type: 'iot',
          state,
          ...(whose === 'this' && { productId: product.id }),
        },
      }),
    onSaved: onMade,
    isOnce: true,
  })
  return (
    <FormDialog
      title={t`Add a certificate authority`}
      form={form}
      submitLabel={t`Add`}
      onClose={onClose}
    >
      <Fields form={form} fields={fields} />
      <CodeArea
        name="certificate"
        label={t`Certificate in PEM`}
        hint={t`The one that directly signs the devices’ certificates: CA:TRUE, with an RSA key or one on P-256, P-384 or P-521.`}
        error={form.errors.certificate}
        maxLength={maxCertificateLength}
        value={form.values.certificate}
        onChange={(certificate) => form.set({ certificate })}
      />
      <details className={styles.steps}>
        <summary>
          <Trans>How to create one with openssl</Trans>
        </summary>
        <div className={styles.copied}>
          <code className={styles.lines}>{makeCommand}</code>
          <CopyButton value={makeCommand} label={t`Copy the commands`} />
        </div>
        <p className="muted">
          <Trans>Paste ca.crt here. Keep ca.key away from devices and servers.</Trans>
        </p>
      </details>
      <SelectField
        label={t`New devices with its certificates`}
        value={form.values.state}
        words={{
          quarantined: t`Wait until a person accepts them`,
          accepted: t`Accepted immediately`,
        }}
        onChange={(state) => form.set({ state })}
      />
      <SelectField
        label={t`Their product`}
        value={form.values.product}
        words={{ this: product.name, none: t`None` }}
        onChange={(whose) => form.set({ product: whose })}
      />
    </FormDialog>
  )
}
