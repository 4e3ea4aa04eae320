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
import { useNameProblem } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { authorityPath } from '../certificate/certificate.api.ts'
import { makeCommand } from './authority.api.ts'
import styles from './product.page.module.css'

addProblemTexts({
  notCertificate: msg`This is not a certificate in PEM.`,
  notAuthority: msg`This certificate is not one of an authority: it must say CA:TRUE, and may sign certificates.`,
  weakKey: msg`Its key must be RSA with 2048 bits or more, or one of P-256, P-384 and P-521.`,
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

/** The certificate that signs those of devices. Its key stays where it is. */
export function AddAuthority({ product, onMade, onClose }: AddAuthorityProps) {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  const fields = {
    name: {
      label: t`Name`,
      hint: t`Such as the factory that it is of`,
      maxLength: maxAuthorityNameLength,
      autoComplete: 'off',
      problemOf: (text) => nameProblem(text),
    },
  } satisfies FormFields<Values>
  const form = useForm<Values, CertificateAuthority>({
    values: { name: '', certificate: '', state: 'quarantined', product: 'this' },
    check: (values) => ({
      ...checkFields(fields, values),
      certificate: values.certificate.includes('PRIVATE KEY')
        ? t`This is a private key. Paste the certificate alone, and keep the key.`
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
        hint={t`The one that signs the certificates of devices directly: CA:TRUE, with a key of RSA or on P-256, P-384 or P-521.`}
        error={form.errors.certificate}
        maxLength={maxCertificateLength}
        value={form.values.certificate}
        onChange={(certificate) => form.set({ certificate })}
      />
      <details className={styles.steps}>
        <summary>
          <Trans>How to make one with openssl</Trans>
        </summary>
        <div className={styles.copied}>
          <code className={styles.lines}>{makeCommand}</code>
          <CopyButton value={makeCommand} label={t`Copy the commands`} />
        </div>
        <p className="muted">
          <Trans>Paste ca.crt here. Keep ca.key where no device and no server has it.</Trans>
        </p>
      </details>
      <SelectField
        label={t`New devices with its certificates are`}
        value={form.values.state}
        words={{
          quarantined: t`Held until a person accepts them`,
          accepted: t`Accepted at once`,
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
