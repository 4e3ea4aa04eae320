import {
  maxCredentialNameLength,
  provesHost,
  scp11KeyLengths,
  type Scp11Variant,
} from '@grove/contract/maple/card/scp11.rules'
import { scp11Example } from '@grove/secure-element/card/scp11-example'
import { Trans, useLingui } from '@lingui/react/macro'
import { invalidate } from '../../../../../api/query-client.ts'
import { api } from '../../../../../session/api.ts'
import { ChangeDialog } from '../../../../../ui/dialog/change-dialog.tsx'
import { AreaField } from '../../../../../ui/field/area-field.tsx'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import type { Form } from '../../../../../ui/form/use-form.ts'
import { scp11Path } from '../../scp11.api.ts'
import { readVersion } from '../key/read-version.ts'

interface CredentialValues {
  name: string
  variant: Scp11Variant
  keyVersion: string
  keyLength: string
  authorities: string
  key: string
  certificates: string
  authorityVersion: string
  authorityKeyId: string
}

const none: CredentialValues = {
  name: '',
  variant: 'a',
  keyVersion: '01',
  keyLength: '16',
  authorities: '',
  key: '',
  certificates: '',
  authorityVersion: '01',
  authorityKeyId: '10',
}

/** The software card's credentials, which are public. */
const forPractice: Partial<CredentialValues> = {
  keyVersion: '01',
  keyLength: '16',
  authorities: scp11Example.authorityPoint,
  key: scp11Example.host,
  certificates: scp11Example.hostCertificate,
  authorityVersion: '01',
  authorityKeyId: '10',
}

const most = 0x7f

/** Adds credentials that open SCP11 channels to every element of the same service provider. */
export function AddCredential({ cplc, onClose }: { cplc: string; onClose: () => void }) {
  const { t } = useLingui()
  const variants: Record<Scp11Variant, string> = {
    a: t`SCP11a · both prove themselves`,
    b: t`SCP11b · the card alone proves itself`,
    c: t`SCP11c · both, with the card’s static key alone`,
  }
  const versionProblem = (text: string) =>
    readVersion(text, most) === undefined ? t`Enter a version from 01 to 7F in hex.` : undefined
  return (
    <ChangeDialog
      title={t`Add credentials for SCP11`}
      submitLabel={t`Add`}
      form={{
        values: none,
        check: (values: CredentialValues) => ({
          name: values.name.trim() === '' ? t`Enter a name.` : undefined,
          keyVersion: versionProblem(values.keyVersion),
          authorities:
            values.authorities.trim() === ''
              ? t`Enter the key or the certificate of the authority.`
              : undefined,
          ...(provesHost(values.variant) && {
            key: values.key.trim() === '' ? t`Enter the key.` : undefined,
            certificates:
              values.certificates.trim() === '' ? t`Enter the certificates.` : undefined,
            authorityVersion: versionProblem(values.authorityVersion),
            authorityKeyId: versionProblem(values.authorityKeyId),
          }),
        }),
        submit: ({ name, variant, authorities, key, certificates, ...values }) =>
          api.maple.post(scp11Path, {
            body: {
              cplc,
              name,
              variant,
              keyVersion: readVersion(values.keyVersion) ?? 0,
              keyLength: scp11KeyLengths.find((bytes) => String(bytes) === values.keyLength),
              authorities,
              ...(provesHost(variant) && {
                key,
                certificates,
                authority: {
                  keyVersion: readVersion(values.authorityVersion) ?? 0,
                  keyId: readVersion(values.authorityKeyId) ?? 0,
                },
              }),
            },
          }),
        fieldOf: (path) =>
          path === 'authority.keyId'
            ? 'authorityKeyId'
            : path.startsWith('authority.') || path === 'authority'
              ? 'authorityVersion'
              : path,
        fieldOfCode: { already_exists: 'name' },
      }}
      done={() => t`The credentials are added.`}
      refresh={() => invalidate('maple', scp11Path)}
      onClose={onClose}
    >
      {(form) => (
        <>
          <p className="muted">
            <Trans>
              Nothing is sent to the card. The private key is encrypted, and Grove never shows it.
              All keys are on the curve P-256.
            </Trans>
          </p>
          <Field
            label={t`Name`}
            maxLength={maxCredentialNameLength}
            autoComplete="off"
            {...form.input('name')}
          />
          <SelectField
            label={t`Variant`}
            value={form.values.variant}
            words={variants}
            onChange={(variant) => form.set({ variant })}
          />
          <Field
            label={t`Key version of the card`}
            hint={t`In hex, as the card reports it`}
            {...codeField}
            {...form.input('keyVersion')}
          />
          <SelectField
            label={t`Session keys`}
            value={form.values.keyLength}
            words={Object.fromEntries(
              scp11KeyLengths.map((bytes) => [String(bytes), `AES-${bytes * 8}`]),
            )}
            onChange={(keyLength) => form.set({ keyLength })}
          />
          <AreaField
            label={t`Authority that signs the certificates of cards`}
            hint={t`Its certificate or public key as PEM, or its point in hex`}
            rows={4}
            {...codeField}
            {...form.input('authorities')}
          />
          {provesHost(form.values.variant) && <HostFields form={form} />}
          <p>
            <button type="button" className="button" onClick={() => form.set(forPractice)}>
              {t`Fill in those of the software card`}
            </button>
          </p>
        </>
      )}
    </ChangeDialog>
  )
}

function HostFields({ form }: { form: Form<CredentialValues> }) {
  const { t } = useLingui()
  return (
    <>
      <AreaField
        label={t`Private key of the host`}
        hint={t`As PEM without a password, or 64 hex digits`}
        rows={4}
        {...codeField}
        {...form.input('key')}
      />
      <AreaField
        label={t`Certificates of the host`}
        hint={t`As PEM, or in hex with one a line; that of the key comes last`}
        rows={4}
        {...codeField}
        {...form.input('certificates')}
      />
      <Field
        label={t`Key version of the host’s authority`}
        hint={t`The key of the card that verifies the first certificate, in hex`}
        {...codeField}
        {...form.input('authorityVersion')}
      />
      <Field
        label={t`Key ID of the host’s authority`}
        hint={t`In hex, usually 10`}
        {...codeField}
        {...form.input('authorityKeyId')}
      />
    </>
  )
}
